import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ERROR_CODES, firmEndpoints } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { PAGES } from '../src/http/docs/pages.ts';
import { startBrowser } from './browser.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

// A browser takes its time on a busy machine.
jest.setTimeout(240_000);

let service: ServiceUnderTest;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startServiceUnderTest(), startBrowser()]);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK = { viewport: { width: 1360, height: 900 } };

const paths = PAGES.map(({ name }) => (name === 'index' ? '/docs' : `/docs/${name}`));

interface Visit {
  readonly page: Page;
  /** Whatever the browser complained of, and each request that would have left the host. */
  readonly faults: string[];
}

async function visiting<T>(options: BrowserContextOptions, work: (visit: Visit) => Promise<T>): Promise<T> {
  const context = await browser.newContext(options);
  const faults: string[] = [];
  try {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${service.url}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) {
        faults.push(`${page.url()}: a request to ${url}`);
      }
    });
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} for ${response.url()}`);
    });
    return await work({ page, faults });
  } finally {
    await context.close();
  }
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(service.url + path, { waitUntil: 'load' });
  if (path.startsWith('/docs/reference'))
    await page.getByText('List claims').first().waitFor({ state: 'attached' });
}

interface Seen {
  readonly path: string;
  readonly theme: string | null;
  readonly links: readonly string[];
  /** Of the content and of the window, by the width of the screen, in pixels. */
  readonly widths: Readonly<Record<number, readonly [number, number]>>;
}

/** Every page once on each kind of device, and there at each width of the screen. */
async function tour(
  options: BrowserContextOptions,
  screens: readonly ViewportSize[],
): Promise<{ seen: Seen[]; faults: string[] }> {
  return visiting(options, async ({ page, faults }) => {
    const seen: Seen[] = [];
    for (const path of paths) {
      await open(page, path);
      const theme = await page.locator('html').getAttribute('data-theme');
      const links = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href));
      const widths: Record<number, [number, number]> = {};
      for (const screen of screens) {
        await page.setViewportSize(screen);
        widths[screen.width] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
      }
      seen.push({ path, theme, links, widths });
    }
    return { seen, faults };
  });
}

describe('on a tour of all pages', () => {
  const tours: Record<string, Awaited<ReturnType<typeof tour>>> = {};
  beforeAll(async () => {
    tours.light = await tour({ ...DESK, colorScheme: 'light' }, [DESK.viewport]);
    tours.dark = await tour({ ...DESK, colorScheme: 'dark' }, [DESK.viewport]);
    tours.phone = await tour(PHONE, [PHONE.viewport, { width: 320, height: 640 }]);
  }, 240_000);

  test('no page asks another host for anything, or makes the browser complain, in light and in dark', () => {
    for (const { seen, faults } of Object.values(tours)) {
      expect(seen.map(({ path }) => path)).toEqual(paths);
      expect(faults).toEqual([]);
    }
    for (const theme of ['light', 'dark'])
      expect(tours[theme]?.seen.map((one) => one.theme)).toEqual(paths.map(() => theme));
  });

  test('no page is wider than the screen of a phone, a small phone or a desk', () => {
    const all = Object.values(tours).flatMap(({ seen }) => seen);
    const wide = all.flatMap(({ path, widths }) =>
      Object.values(widths)
        .filter(([content, window]) => content > window)
        .map(([content, window]) => `${path}: ${content} on ${window}`),
    );
    expect(wide).toEqual([]);
    expect([...new Set(all.flatMap(({ widths }) => Object.keys(widths)))]).toEqual(['1360', '320', '390']);
  });

  test('every link leads to a page that is there, and to a place on it that is there', async () => {
    const links = [...new Set(tours.light?.seen.flatMap((one) => one.links))];
    // The one host that is named but never asked: the makers of the reference's renderer.
    const outside = links.filter((link) => !link.startsWith(`${service.url}/`));
    expect(outside.filter((link) => !/^https:\/\/(www\.)?scalar\.com\b/.test(link))).toEqual([]);
    const inside = links.filter((link) => link.startsWith(`${service.url}/`));
    expect(inside.length).toBeGreaterThan(100);
    const broken: string[] = [];
    const texts = new Map<string, string>();
    for (const link of inside) {
      const { pathname, hash } = new URL(link);
      if (!texts.has(pathname)) {
        const answer = await fetch(service.url + pathname);
        texts.set(pathname, answer.ok ? await answer.text() : '');
      }
      const text = texts.get(pathname) ?? '';
      if (text === '') broken.push(link);
      // Places in the reference are made by its renderer.
      if (hash === '' || pathname === '/docs/reference') continue;
      if (!text.includes(`id="${decodeURIComponent(hash.slice(1))}"`)) broken.push(link);
    }
    expect(broken).toEqual([]);
  });
});

test('the type of an error opens at the entry of its code', async () => {
  const refused = await service.call('GET', '/v1/me');
  await visiting(DESK, async ({ page, faults }) => {
    await page.goto(refused.json.type);
    const target = page.locator(':target');
    expect(await target.getAttribute('id')).toBe('invalid_key');
    const box = await target.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(300);
    const ids = await page.locator('h2[id]').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids).toEqual(expect.arrayContaining([...ERROR_CODES]));
    expect(faults).toEqual([]);
  });
});

test('on a phone the menu is one touch away, and leads on', async () => {
  await visiting(PHONE, async ({ page, faults }) => {
    await open(page, '/docs');
    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).tap();
    await menu.getByRole('link', { name: 'Polling done right' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Polling done right' }).waitFor();
    expect(faults).toEqual([]);
  });
});

test('the search finds a word, and leads to where it stands', async () => {
  await visiting(DESK, async ({ page, faults }) => {
    await open(page, '/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('retry-after');
    await page.locator('.site-results a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/docs');
    expect(await page.locator('article').textContent()).toContain('Retry-After');
    expect(faults).toEqual([]);
  });
});

test('a chosen theme stays chosen, on the next page and in the reference', async () => {
  await visiting({ ...DESK, colorScheme: 'light' }, async ({ page, faults }) => {
    await open(page, '/docs');
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await open(page, '/docs/limits');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await open(page, '/docs/reference');
    await page.locator('body.dark-mode').waitFor();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await page.locator('body.light-mode').waitFor();
    expect(faults).toEqual([]);
  });
});

test('the overview’s link to an operation opens the reference there', async () => {
  await visiting(DESK, async ({ page }) => {
    await page.goto(`${service.url}/docs`);
    await page.getByRole('link', { name: 'DELETE /v1/adjusters/invitations/{svc_id}' }).click();
    const heading = page.getByRole('heading', { name: 'Withdraw an invitation' }).first();
    await heading.waitFor();
    // The page goes on moving while it is drawn.
    await eventually(
      async () => (await heading.boundingBox())?.y ?? -1,
      (y) => y >= 0 && y < DESK.viewport.height / 2,
    );
  });
});

test('the reference shows every group, and each operation of the first, out of the interface document', async () => {
  await visiting(DESK, async ({ page, faults }) => {
    await open(page, '/docs/reference');
    const shown = await page.locator('#reference').textContent();
    for (const name of ['Claims', 'Adjusters', 'Key and health', 'Adjuster app'])
      expect(shown).toContain(name);
    for (const { summary } of Object.values(firmEndpoints).filter(({ path }) =>
      path.startsWith('/v1/claims'),
    )) {
      expect(shown).toContain(summary);
    }
    expect(faults).toEqual([]);
  });
});
