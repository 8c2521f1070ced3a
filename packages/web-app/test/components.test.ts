import { beforeAll, expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { h } from 'preact';
import { ApiError } from '../src/api-error.ts';
import type { WebApp } from '../src/app-context.ts';
import { draw } from '../src/map/draw.ts';
import { openDialogs } from '../src/open-dialogs.ts';
import { type CommonTexts, commonEn } from '../src/texts/en.ts';
import { moreEn } from '../src/texts/en-more.ts';
import { createToasts } from '../src/toasts.ts';
import { fakePage, page } from './fake-page.ts';

/** Of the observers, how far from the screen what they observe is near. */
const margins = () => [...page.observers].flatMap(({ options }) => options.rootMargin ?? []);
const getComputedStyle = () => ({ getPropertyValue: (name: string) => name });
const scrolled: string[] = [];
const scrollTo = (...to: number[]) => scrolled.push(to.join());
fakePage({ getComputedStyle, scrollTo });
const load = async () => ({
  ...(await import('../src/components/mount.tsx')),
  ...(await import('../src/components/checkbox.tsx')),
  ...(await import('../src/components/dialog.tsx')),
  ...(await import('../src/components/error-boundary.tsx')),
  ...(await import('../src/components/facts.tsx')),
  ...(await import('../src/components/form-dialog.tsx')),
  ...(await import('../src/components/lazy.tsx')),
  ...(await import('../src/components/paged-rows.tsx')),
  ...(await import('../src/components/passkey-screens.tsx')),
  ...(await import('../src/components/select.tsx')),
  ...(await import('../src/components/session-list.tsx')),
  ...(await import('../src/components/sign-in.tsx')),
  ...(await import('../src/components/toast.tsx')),
  ...(await import('../src/components/ui.tsx')),
  ...(await import('../src/components/windowed-list.tsx')),
});
let parts: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  parts = await load();
});

const WORDS = {
  ...commonEn,
  app: 'Claims',
  update: { apply: 'Update' },
  broken: { ...commonEn.broken, lead: 'Lead.' },
};
const texts = signal({ ...WORDS, signIn: { ...commonEn.signIn, expired: 'Ended.' } } satisfies CommonTexts);
const returned: { item?: string; position?: { item: string; scrollY: number | undefined } | null } = {};
const app = {
  ...{ texts, toasts: createToasts(texts, signal('#/')), reportError: jest.fn() },
  startAgain: jest.fn(async () => {}),
  navigation: { returnItem: () => returned.item, takeReturnPosition: () => returned.position ?? null },
} satisfies WebApp;
async function shown(what: ComponentChildren): Promise<void> {
  await parts.mount(what, app, { load: () => Promise.reject(new Error('offline')) });
  await page.wait(1000);
}

test('where an account is signed in is listed, with an end for each other session, after which it is read again', async () => {
  const at = (hour: number) => `2026-09-01T1${hour}:00:00.000Z`;
  const times = { created_at: at(0), last_used_at: at(1), expires_at: at(9) };
  const session = { ...times, current: false, device_name: 'Safari' };
  const data = [
    { ...session, id: 's1', current: true, device_name: 'Firefox' },
    { ...session, id: 's2' },
    { ...session, id: 's3', last_used_at: at(2), device_name: null },
  ];
  const [list, end, onError] = [jest.fn(async () => ({ data })), jest.fn(async (_: string) => {}), jest.fn()];
  const words = { ...moreEn.sessions, names: { Safari: 'Safari on a phone' } };
  await shown(
    h(parts.SessionList, { words, dateTime: (instant: string) => instant.slice(11, 16), list, end, onError }),
  );
  expect(page.shows()).toEqual([
    'h2 Where you are signed in',
    ...['span.strong Firefox', 'span.line.muted This session'],
    ...['span.strong Safari on a phone', 'span.line.muted Last used 11:00'],
    'button.neutral label=End Safari on a phone, last used 11:00 End',
    ...['span.strong Browser', 'span.line.muted Last used 12:00'],
    'button.neutral label=End Browser, last used 12:00 End',
  ]);
  list.mockRejectedValueOnce(new Error('offline'));
  await page.press('End Browser, last used 12:00');
  expect([end.mock.calls, list.mock.calls.length, onError.mock.calls]).toEqual([
    [['s3']],
    2,
    [[new Error('offline')]],
  ]);
});

test('a fact that is zero or false is shown, one that is not known is left out, and so is a section of only those', async () => {
  const { fact, Facts, FactSection } = parts;
  const known = [fact('Deductible', 0, (amount) => `$${amount}`), fact('Depth', 0), fact('Basement', false)];
  const unknown = [fact('Units', null), fact('Zone', undefined)];
  await shown(
    h('main', null, [
      h(FactSection, { title: 'Building', facts: [...known, ...unknown], amounts: true }),
      h(FactSection, { title: 'Zero', facts: [fact('Zero', 0)] }),
      h(FactSection, { title: 'Nothing', facts: unknown }),
      h(Facts, { facts: unknown }),
    ]),
  );
  expect(page.shows()).toEqual([
    ...['h2 Building', 'dt Deductible', 'dd $0', 'dt Depth', 'dd 0', 'dt Basement', 'dd false'],
    ...['h2 Zero', 'dt Zero', 'dd 0'],
  ]);
  expect(page.document.querySelectorAll('dl.amounts').length).toBe(1);
});

test('a list that is read page by page says that it is read, offers more, and reads more near its end', async () => {
  const rows = signal<readonly { id: string }[] | undefined>(undefined);
  const list = {
    ...{ rows, isReading: signal(true), hasMore: signal(false), failed: signal(false) },
    ...{ more: jest.fn(async () => {}), restart: jest.fn(async () => {}) },
  };
  const Rows = () =>
    h(parts.PagedRows<{ id: string }>, {
      ...{ list, rows: rows.value, label: 'Claims', empty: h('p', null, 'None.') },
      row: ({ id }) => h('b', null, id),
    });
  await shown(h(Rows, {}));
  const states = [page.shows()];
  const next = async (change: () => void) => {
    change();
    await page.wait(100);
    states.push(page.shows());
  };
  page.observe();
  await next(() => {
    [list.isReading.value, list.failed.value] = [false, true];
  });
  page.observe();
  await page.press('Try again');
  await next(() => {
    [rows.value, list.failed.value, list.hasMore.value] = [[], false, true];
  });
  await page.press('Show more');
  page.observe({ isIntersecting: false });
  const { restart, more } = list;
  expect([restart.mock.calls.length, more.mock.calls.length, margins()]).toEqual([1, 1, ['1200px']]);
  page.observe();
  expect(list.more.mock.calls.length).toBe(2);
  await next(() => {
    [rows.value, list.failed.value] = [[{ id: 'a' }], true];
  });
  page.observe();
  await next(() => {
    [list.failed.value, list.hasMore.value] = [false, false];
  });
  await next(() => {
    rows.value = [];
  });
  expect(states).toEqual([
    ['p.muted Searching …'],
    ['button.neutral Try again'],
    ['button.neutral Show more'],
    ['ul label=Claims', 'b a', 'button.neutral Show more'],
    ['ul label=Claims', 'b a'],
    ['p None.'],
  ]);
  expect(list.more.mock.calls.length).toBe(2);
});

test('of a long list the first rows and those that were left are in the page at once, and others near the screen', async () => {
  const items = Array.from({ length: 24 }, (_, n) => ({ id: `r${n}` }));
  returned.item = '#/claims/r20';
  await shown(
    h(parts.WindowedList<{ id: string }>, { items, row: ({ id }) => h('i', null, id), label: 'Rows' }),
  );
  const ids = () => page.shows('i').map((one) => one.slice(2));
  const names = (from: number, to: number) => items.slice(from, to).map(({ id }) => id);
  expect(ids()).toEqual([...names(0, 8), ...names(16, 24)]);
  const chunks = [...page.document.querySelectorAll('ul')];
  expect(chunks.map(({ style }) => style.height)).toEqual(['', expect.stringMatching(/px$/), '']);
  expect(margins()).toEqual(['60000px 0px']);
  page.observe();
  await page.wait(5000);
  // Nothing is emptied while the list scrolls.
  page.happens(page.window, 'scroll');
  page.observe({ isIntersecting: false, borderBoxSize: [{ blockSize: 240 }] });
  await page.wait(100);
  expect(ids()).toEqual(names(0, 24));
  await page.wait(5000);
  expect([ids(), ...chunks.map(({ style }) => style.height)]).toEqual([[], ...Array(3).fill('240px')]);
  // In a scroll what is on the screen comes first, then what is near, and the others afterwards.
  for (const [n, top] of [-1440, 2001, 799].entries())
    Object.assign(chunks[n] ?? {}, { getBoundingClientRect: () => ({ top, bottom: top + 240 }) });
  page.happens(page.window, 'scroll');
  page.observe();
  const rendered: string[][] = [];
  for (const ms of [20, 80, 200]) {
    await page.wait(ms);
    rendered.push(ids());
  }
  expect(rendered).toEqual([names(16, 24), [...names(0, 8), ...names(16, 24)], names(0, 24)]);
  returned.item = '';
});

test('a button acts once it has settled, not while it is busy, and a second tap at its place reaches nothing', async () => {
  const onClick = jest.fn();
  const isOpen = signal(true);
  const [busy, shows] = [signal(false), signal('a')];
  const Screen = () =>
    h('div', null, [
      isOpen.value &&
        h(parts.ActionBar, {
          shows: shows.value,
          children: h(parts.Button, { busy: busy.value, onClick, children: 'Go' }),
        }),
      h('a', { href: '#/other', onClick }, 'Other'),
    ]);
  await parts.mount(h(Screen, {}), app, { load: async () => {} });
  const tap = (label: string, more = {}) => page.happens(page.find(label), 'click', { clientX: 0, ...more });
  const taps = () => onClick.mock.calls.length;
  for (const ms of [50, 600]) {
    await page.wait(ms);
    // One that is ignored does not submit a form either.
    expect([tap('Go'), page.shows('button'), taps()]).toEqual([false, ['button.neutral disabled Go'], 0]);
  }
  await page.wait(100);
  expect([tap('Go'), page.shows('button'), taps()]).toEqual([true, ['button.neutral Go'], 1]);
  busy.value = true;
  await page.wait(50);
  expect([tap('Go'), page.shows('button'), taps()]).toEqual([false, ['button.neutral busy disabled Go'], 1]);
  [busy.value, shows.value] = [false, 'b'];
  await page.wait(50);
  expect([tap('Go'), page.shows('button'), taps()]).toEqual([false, ['button.neutral disabled Go'], 1]);
  const barHeight = () => page.document.documentElement.style.getPropertyValue('--bar-height');
  page.observe({ borderBoxSize: [{ blockSize: 56 }] });
  expect(barHeight()).toBe('56px');
  await page.wait(1000);
  tap('Go');
  isOpen.value = false;
  await page.wait(50);
  expect([tap('Other', { clientX: 39 }), tap('Other', { clientX: 40 }), taps()]).toEqual([false, true, 3]);
  await page.wait(1000);
  expect([tap('Other'), taps(), barHeight()]).toEqual([true, 4, '']);
  const reached: boolean[] = [];
  const places = { dialog: 50, toast: 50, 'queued-answers': 50, card: 50, 'toast late': 11_000 };
  for (const [name, ms] of Object.entries(places)) {
    const inside = h(name === 'dialog' ? name : 'div', { class: name }, h('button', null, 'In'));
    const Place = () => h('div', null, [isOpen.value && inside, h('a', { href: '#/other' }, 'Other')]);
    isOpen.value = true;
    await shown(h(Place, { key: name }));
    tap('In');
    await page.wait(ms);
    isOpen.value = false;
    await page.wait(50);
    reached.push(tap('Other'));
  }
  expect(reached).toEqual([false, false, false, true, true]);
});

test('the latest choice is shown until it has ended, and then what it is by then: as before where it was refused', async () => {
  const [one, isOn, title] = [signal(1), signal(false), signal('')];
  const ends: (() => void)[] = [];
  const choose = jest.fn((_: unknown) => new Promise<void>((end) => ends.push(end)));
  const Choices = () =>
    h('main', { title: title.value }, [
      h(parts.Select<number>, { label: 'One', options: [1, 2, 3], value: one.value, choose }),
      h(parts.Checkbox, { label: 'On', checked: isOn.value, choose }),
    ]);
  await shown(h(Choices, {}));
  const states: unknown[] = [];
  const note = () => states.push([page.find('One').value, page.find('On').checked]);
  for (const isTaken of [false, true]) {
    await page.choose('One', '2');
    await page.tick('On');
    if (isTaken) [one.value, isOn.value] = [3, true];
    await page.choose('One', '3');
    // The first choice ends before the second, and the page is rendered again for another reason.
    ends.shift()?.();
    title.value = `${isTaken}`;
    await page.wait(100);
    note();
    for (const end of ends.splice(0)) end();
    await page.wait(100);
    note();
  }
  const [chosen, before] = [
    ['3', true],
    ['1', false],
  ];
  expect([states, choose.mock.calls.flat()]).toEqual([
    [chosen, before, chosen, chosen],
    [2, true, 3, 2, true, 3],
  ]);
});

test('a screen opens at its start and heading, a list at the item that was open, and the page is named', async () => {
  Object.assign(page.window.HTMLElement.prototype, {
    scrollIntoView: ({ block }: ScrollIntoViewOptions) => scrolled.push(String(block)),
  });
  const list = h('div', { class: 'list' }, h('a', { href: '#/i' }, 'Item'));
  const focused: string[] = [];
  const items = ['#/i', '#/gone'].flatMap((item) => [300, undefined].map((scrollY) => ({ item, scrollY })));
  for (const [n, position] of [null, ...items].entries()) {
    returned.position = position;
    const header = h(parts.ScreenHeader, { title: `Screen ${n}` });
    await shown(h('main', { key: n }, [h('h1', { tabIndex: -1 }, 'List'), header, list]));
    focused.push(page.focused());
  }
  expect(focused).toEqual(['Screen 0', 'Item', 'Item', 'Screen 3', 'Screen 4']);
  page.find('Item').focus();
  parts.focusHeading();
  expect(scrolled.splice(0)).toEqual(['0,0', '0,300', 'center', '0,300', '0,0', '0,0']);
  expect([page.focused(), page.document.title]).toEqual(['Screen 4', 'Screen 4 · Claims']);
  returned.position = null;
});

test('a code that was sent is asked for also after a return within ten minutes, and an error ends with another act', async () => {
  const [sendCode, signIn] = [jest.fn(async () => {}), jest.fn(async () => {})];
  const passkeyOptions = async () => ({ options: {} });
  const noted = () => localStorage.getItem('sign-in-code /app');
  const { showError } = app.toasts;
  const states: unknown[] = [];
  for (const ago of [600_000, 599_999]) {
    localStorage.setItem('sign-in-code /app', `${Date.now() - ago} a@b.c`);
    const children = h(parts.SignInByCode, { sendCode, signIn, passkeyOptions, showError });
    await shown(
      h('main', { key: ago }, h(parts.SignInPage, { logo: '/l', endedBecause: 'expired', children })),
    );
    states.push(...page.shows('.note-body, input').map((one) => one.slice(0, 20)), noted() !== '');
  }
  signIn.mockRejectedValueOnce(new ApiError(403, 'invalid_code'));
  await page.type('Six-digit code', '123456');
  await page.press('Sign in');
  const described = page.find('Six-digit code').getAttribute('aria-describedby');
  states.push(page.document.getElementById(described ?? '')?.className, noted() !== '');
  await page.press('Use another email');
  states.push(page.shows('.field-error').length, noted(), page.find('Your email').value);
  expect(states).toEqual([
    ...['div.note-body Ended.', 'input Your email aut', false],
    ...['div.note-body Ended.', 'input Six-digit code', true, 'field-error', true, 0, '', 'a@b.c'],
  ]);
});

test('an act on a passkey that fails ends and is said, one that is canceled does nothing, and none is said', async () => {
  const passkey = { id: 'p1', name: 'Phone', created_at: '2026-09-01T15:00:00Z', last_used_at: null };
  const list = jest.fn(async () => ({ data: [passkey] }));
  const act = () => jest.fn<(_?: object) => Promise<void>>().mockResolvedValue();
  const [rename, remove, register, signOut, onRequiredAdded] = [act(), act(), act(), act(), act()];
  const { showToast, showError } = app.toasts;
  const { Passkeys } = parts.createPasskeyScreens({
    ...{ words: () => moreEn.passkeys, signOutText: () => '', language: () => 'en-US', signOut },
    ...{ request: (send) => send(), showToast, showError, list, rename, remove, register },
    ...{ options: async () => ({ options: {} }), onRequiredAdded },
  });
  await shown(h('main', null, [h(Passkeys, {}), h<{ dialog?: string }>(parts.ToastMessage, {})]));
  for (const name of ['Rename Phone', 'Remove Phone'])
    for (const one of [name, 'Cancel']) await page.press(one);
  const said = [...page.shows('dialog'), ...rename.mock.calls, ...remove.mock.calls];
  for (const failing of [rename, remove]) failing.mockRejectedValueOnce(new ApiError(404, 'not_found'));
  for (const names of ['Rename Phone,Save', 'Remove Phone,Remove Phone', 'Remove Phone,Remove Phone']) {
    for (const name of names.split(',')) await page.press(name);
    said.push(...page.shows('dialog, main p.muted, .toast p'));
    app.toasts.closeToast();
    if (said.length === 4) list.mockResolvedValue({ data: [] });
  }
  const failed = ['p.muted Not used yet', `p ${commonEn.network.failed}`];
  const none = ['p.muted You have no passkeys.', 'p The passkey was removed.'];
  expect(said).toEqual([...failed, ...failed, ...none]);
});

test('a dialog ends by Escape or a tap outside, gives back the focus, and says there what happens in it', async () => {
  const isOpen = signal(false);
  const close = jest.fn(() => {
    isOpen.value = false;
  });
  const submit = jest.fn(
    async (text: (name: string) => string) => void app.toasts.showToast(`<${text('a')}>`),
  );
  const Screen = () =>
    h('main', null, [
      h('h1', { tabIndex: -1 }, 'Screen'),
      h(parts.Button, { onClick: () => (isOpen.value = true), children: 'Open' }),
      isOpen.value &&
        h(parts.FormDialog, {
          title: 'Ask',
          kind: 'danger',
          close,
          submit,
          children: h('input', { name: 'a', 'aria-label': 'A' }),
        }),
      h<{ dialog?: string }>(parts.ToastMessage, {}),
    ]);
  await shown(h(Screen, {}));
  await page.press('Open');
  expect(page.shows('dialog')).toEqual([
    'dialog open',
    'h2 Ask',
    'form',
    'input A name=a label=A',
    'button.danger type=submit Ask',
    'button.neutral Cancel',
    'div alert',
  ]);
  await page.type('A', ' x ');
  await page.press('Ask');
  expect(page.shows('.toasts')).toEqual(['div alert', 'p <x>', 'button label=Close', 'div status']);
  const dialog = () => page.document.querySelector('dialog');
  const on = (selector: string, kind: string) =>
    page.happens(page.document.querySelector(selector) ?? page.body, kind);
  for (const [down, up] of [
    ['h2', 'dialog'],
    ['dialog', 'h2'],
  ] as const) {
    on(down, 'pointerdown');
    on(up, 'click');
  }
  expect(close).not.toHaveBeenCalled();
  on('dialog', 'pointerdown');
  on('dialog', 'click');
  await page.wait(100);
  expect([close.mock.calls.length, page.focused()]).toEqual([1, 'Open']);
  for (const [n, way] of [
    () => on('dialog', 'cancel'),
    () => on('dialog', 'close'),
    () => openDialogs.peek().at(-1)?.close?.(),
  ].entries()) {
    await page.press('Open');
    // What was said before is not about it.
    expect(page.shows('.toasts')).toEqual(['div alert', 'div status']);
    submit.mockReturnValueOnce(new Promise(() => {}));
    for (let presses = 0; presses < 2; presses += 1) await page.press('Ask');
    expect([way() === true, submit.mock.calls.length]).toEqual([n === 1, n + 2]);
    await page.wait(100);
    expect([close.mock.calls.length, dialog()]).toEqual([n + 2, null]);
  }
  // Only its button closes it.
  await shown(h(parts.Dialog, { title: 'Key', children: 'Secret' }));
  dialog()?.close();
  for (const kind of ['cancel', 'pointerdown', 'click', 'close']) on('dialog', kind);
  expect([page.shows('dialog')[0], openDialogs.peek().at(-1)?.close]).toEqual(['dialog open', undefined]);
});

test('what cannot be shown is reported, and can be started again', async () => {
  const broken = new Error('no street');
  const Broken = (): never => {
    throw broken;
  };
  await shown(
    h(parts.ErrorBoundary, { otherwise: h('a', { href: '#/s' }, 'Settings'), children: h(Broken, {}) }),
  );
  expect(page.shows()).toEqual([
    'h2 This cannot be shown',
    'p Lead.',
    'button.primary Update',
    'a #/s Settings',
  ]);
  await page.press('Update');
  expect([
    app.reportError.mock.calls[0]?.[0],
    app.startAgain.mock.calls.length,
    page.shows('button'),
  ]).toEqual([...[broken, 1, ['button.primary busy disabled Update']]]);
});

test('a part whose code is missing says whether the network is, or the page is older than the service', async () => {
  const Missing = parts.lazy<object>(() => Promise.reject(new Error('404')));
  const asked: unknown[] = [];
  for (const [fetch, said] of [
    [async () => new Response(), commonEn.network.replaced],
    [() => Promise.reject(new TypeError()), commonEn.network.needed],
  ] as const) {
    const value = (...request: unknown[]) => asked.push(request) && fetch();
    Object.defineProperty(globalThis, 'fetch', { value, configurable: true });
    await shown(h('div', { key: said }, h(Missing, {})));
    expect(page.shows()).toEqual([`p.muted ${said.slice(0, 50)}…`, 'button.quiet Try again']);
  }
  // Not from the files that the worker keeps.
  expect(asked).toEqual(Array(2).fill(['', { method: 'HEAD', cache: 'no-store' }]));
  await page.press('Try again');
  expect(page.location.reload).toHaveBeenCalledTimes(1);
});

test('the map shows land and states, and counties from close by, in the colors of the page', () => {
  const line = (x: number) => [[0, 1].map((y) => ({ x, y }))];
  const drawn = (scale: number) => {
    const calls: string[] = [];
    const drawing = { fillStyle: '', strokeStyle: '', lineWidth: 0 };
    const canvas = document.createElement('canvas');
    const context = Object.assign(drawing, {
      scale: (...by: number[]) => calls.push(`scale ${by}`),
      beginPath: () => calls.push('path'),
      moveTo: (...to: number[]) => calls.push(`from ${to}`),
      lineTo: (...to: number[]) => calls.push(`to ${to}`),
      fillRect: (...where: number[]) => calls.push(`fill ${where} ${drawing.fillStyle}`),
      fill: (rule: string) => calls.push(`fill ${rule} ${drawing.fillStyle}`),
      stroke: () => calls.push(`line ${drawing.strokeStyle} ${drawing.lineWidth}`),
    });
    Object.assign(canvas, { getContext: () => context });
    const lines = { land: line(1), states: line(2), counties: line(3) };
    draw(canvas, lines, { center: { x: 1, y: 0 }, scale }, { width: 20, height: 10 });
    return [canvas.width, canvas.height, ...calls].join(', ');
  };
  const start =
    '40, 20, scale 2,2, fill 0,0,20,10 --water, path, from 10,5, to 10,12005, fill evenodd --surface, ';
  const counties = 'path, from 24010,5, to 24010,12005, line --line 1, ';
  const states = 'path, from 12010,5, to 12010,12005, line --edge 1.2, ';
  expect(drawn(12_000)).toBe(`${start}${counties}${states}path, from 10,5, to 10,12005, line --edge 1.2`);
  expect(drawn(11_999)).not.toContain('--line');
});
