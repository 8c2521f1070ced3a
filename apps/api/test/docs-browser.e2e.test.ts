import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { ERROR_CODES } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build } from '../../../tools/services/build.ts';
import { PAGES, type PageEntry } from '../../docs/src/pages.ts';
import { openContext, startBrowser } from './browser.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-under-test.ts';

// Browsers are slow on a busy machine.
jest.setTimeout(240_000);

let service: ServiceUnderTest;
let browser: Browser;
beforeAll(async () => {
  await build();
  [service, browser] = await Promise.all([startServiceUnderTest(), startBrowser()]);
}, 600_000);

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const SMALL_PHONE = { width: 320, height: 640 };
const DESKTOP = { viewport: { width: 1360, height: 900 } };

const pathOf = ({ name }: PageEntry): string =>
  name === 'index' ? '/docs' : `/docs/${name.replace(/index$/, '')}`;
const paths = PAGES.map(pathOf);

/** Pages that together show every element and every language of code. axe, which takes most of the time, judges them in
 * both themes and on a phone, and the others every night. */
const SHOW_EVERY_ELEMENT = ['index', 'quick-start', 'flood', 'sdk', 'reference/adjusters', 'errors'];
const showingEveryElement = PAGES.filter(({ name }) => SHOW_EVERY_ELEMENT.includes(name)).map(pathOf);

interface Visit {
  readonly page: Page;
  /** Errors in the browser, and requests to other hosts. */
  readonly faults: string[];
}

async function visiting<T>(options: BrowserContextOptions, work: (visit: Visit) => Promise<T>): Promise<T> {
  const context = await openContext(browser, options);
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

/** Opens the page and waits for its scripts. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(service.url + path);
  // Not page.waitForFunction, which evaluates text in the page and is stopped by its Content-Security-Policy.
  await eventually(() => page.evaluate<boolean>("document.querySelector('#app')?.__vue_app__ != null"));
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe judges. Contrast does not depend on the width of the screen. */
const JUDGED = {
  everything: {},
  contrast: { runOnly: ['color-contrast'] },
  layout: { rules: { 'color-contrast': { enabled: false } } },
} as const;

/** Leaves one word of code in each color. */
const REDUCE_COLORS = `{
  const seen = new Set();
  for (const word of document.querySelectorAll('pre code .line > span')) {
    if (seen.has(word.className)) word.replaceWith(word.textContent);
    seen.add(word.className);
  }
}`;

/** The accessibility violations that axe finds in the current state of the page. */
async function violationsOn(page: Page, judged: keyof typeof JUDGED = 'everything'): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...JUDGED[judged] })}).then(({ violations }) =>
    violations.map(({ id, nodes }) => location.pathname + ' ' + id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).slice(0, 5).join(' | ')))`,
  );
}

interface Seen {
  readonly path: string;
  /** The width of content and window in pixels, by the width of the screen. */
  readonly widths: Readonly<Record<number, readonly [number, number]>>;
  readonly violations: readonly string[];
}

/** Visits every page once, at the size of each screen. */
async function visitAllPages(): Promise<{ seen: Seen[]; faults: string[] }> {
  // Without motion, colors change at once with the theme.
  return visiting({ ...DESKTOP, colorScheme: 'light', reducedMotion: 'reduce' }, async ({ page, faults }) => {
    const seen: Seen[] = [];
    for (const path of paths) {
      await open(page, path);
      const widths: Record<number, readonly [number, number]> = {
        [DESKTOP.viewport.width]: await widthOf(page),
      };
      const violations: string[] = [];
      const inDetail = showingEveryElement.includes(path);
      if (inDetail) {
        await page.evaluate(REDUCE_COLORS);
        violations.push(...(await violationsOn(page)));
        await page.emulateMedia({ colorScheme: 'dark' });
        await eventually(
          () => themeOf(page),
          (theme) => theme === 'dark',
        );
        violations.push(...(await violationsOn(page, 'contrast')));
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize(PHONE.viewport);
        violations.push(...(await violationsOn(page, 'layout')));
      }
      await page.setViewportSize(SMALL_PHONE);
      widths[SMALL_PHONE.width] = await widthOf(page);
      await page.setViewportSize(DESKTOP.viewport);
      seen.push({ path, widths, violations });
    }
    return { seen, faults };
  });
}

/** Of content and window. */
const widthOf = (page: Page): Promise<[number, number]> =>
  page.evaluate('[document.documentElement.scrollWidth, document.documentElement.clientWidth]');

const themeOf = async (page: Page): Promise<string> =>
  (await page.locator('html.dark').count()) === 1 ? 'dark' : 'light';

describe('on a visit to all pages', () => {
  let seen: Seen[];
  let faults: string[];
  beforeAll(async () => {
    ({ seen, faults } = await visitAllPages());
  }, 600_000);

  test('no page requests another host or causes a browser error', () => {
    expect(seen.map(({ path }) => path)).toEqual(paths);
    expect(faults).toEqual([]);
  });

  test('no kind of page has an accessibility violation, also on a phone and in dark mode', () => {
    expect(showingEveryElement).toHaveLength(SHOW_EVERY_ELEMENT.length);
    expect(seen.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test('no page is wider than the screen of a small phone or a desktop', () => {
    const wide = seen.flatMap(({ path, widths }) =>
      Object.values(widths)
        .filter(([content, window]) => content > window)
        .map(([content, window]) => `${path}: ${content} on ${window}`),
    );
    expect(wide).toEqual([]);
    expect([...new Set(seen.flatMap(({ widths }) => Object.keys(widths)))]).toEqual(['320', '1360']);
  });
});

test('the type URL of an error opens the entry of its code', async () => {
  const failed = await service.call('GET', '/v1/me');
  await visiting(DESKTOP, async ({ page, faults }) => {
    await page.goto(failed.json.type);
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

test('the search finds a field, opens the result, and has no accessibility violation', async () => {
  await visiting(DESKTOP, async ({ page, faults }) => {
    await open(page, '/docs');
    await page.keyboard.press('/');
    await page.locator('#localsearch-input:focus').waitFor();
    await page.keyboard.type('number_of_units');
    await page.locator('#localsearch-list .result').first().waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/docs' && url.hash !== '');
    // The address changes before the page does.
    await page.locator('main').filter({ hasText: 'building.number_of_units' }).waitFor();
    expect(faults).toEqual([]);
  });
});

test('a sample is copied unchanged in the chosen language', async () => {
  await visiting(
    { ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] },
    async ({ page, faults }) => {
      await open(page, '/docs/reference/claims');
      const samples = page.locator('.vp-code-group').first();
      await samples.getByText('Python', { exact: true }).click();
      const sample = samples.locator('div[class*=language-].active');
      await sample.hover();
      await sample.getByRole('button', { name: 'Copy Code' }).click();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toContain(`requests.get(\n    "${service.url}/v1/claims?`);
      expect(copied.trim()).toBe((await sample.locator('code').textContent())?.trim());
      expect(faults).toEqual([]);
    },
  );
});

test('the overview links to the entry of each operation, and the page links to its Markdown version', async () => {
  await visiting(DESKTOP, async ({ page, faults }) => {
    await open(page, '/docs');
    await page.getByRole('link', { name: 'DELETE /v1/adjusters/invitations/{svc_id}' }).click();
    const heading = page.getByRole('heading', { name: 'Withdraw an invitation' }).first();
    // A script loads the page and scrolls to the entry.
    await eventually(
      async () => ((await heading.isVisible()) ? ((await heading.boundingBox())?.y ?? -1) : -1),
      (y) => y >= 0 && y < DESKTOP.viewport.height / 2,
    );
    await page.getByRole('link', { name: 'This page as Markdown' }).click();
    await page.waitForURL(`${service.url}/docs/reference/adjusters.md`);
    expect(await page.locator('body').textContent()).toContain('# Adjusters');
    expect(faults).toEqual([]);
  });
});

test('the page for unknown addresses links to the overview, and has no accessibility violation', async () => {
  await visiting(DESKTOP, async ({ page }) => {
    await open(page, '/docs/nowhere');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('link', { name: 'overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Claim Assignment documentation' }).waitFor();
  });
});
