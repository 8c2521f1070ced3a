import { resolveObjectURL } from 'node:buffer';
import { afterEach, expect, jest, test } from '@jest/globals';
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import { showAppearance } from '../src/appearance.ts';
import { browserChoices, tabChoices } from '../src/choices.ts';
import { createNavigation } from '../src/navigation.ts';
import { openDialogs } from '../src/open-dialogs.ts';
import { supportsPasskeys } from '../src/passkey-support.ts';
import { shareFile } from '../src/share-file.ts';
import { deviceLanguage, isLanguage, type Language, localeOf } from '../src/texts/languages.ts';
import { useReading } from '../src/use-reading.ts';
import { isAtLeastPx } from '../src/width.ts';

const before = Object.getOwnPropertyDescriptors(globalThis);
const replaced = new Set<string>();
/** Names of the browser, for one test. */
function browserHas(values: object): void {
  for (const [name, value] of Object.entries(values)) {
    replaced.add(name);
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
}
afterEach(() => {
  for (const name of replaced) Reflect.deleteProperty(globalThis, name);
  Object.defineProperties(globalThis, before);
  replaced.clear();
});

test('Back closes the dialog on top, if it can be closed, and leaves the screen; a link in a dialog leads on', () => {
  const replaceState = (number: unknown): object => Object.assign(history, { state: number });
  const history = { scrollRestoration: 'auto' as const, state: null as unknown, go: jest.fn(), replaceState };
  const listeners: Record<string, () => void> = {};
  const addEventListener = (kind: string, listener: () => void) => {
    listeners[kind] = listener;
  };
  const browser = { location: { hash: '#/' }, history, scrollY: 700, addEventListener };
  const { currentHash, takeReturnPosition } = createNavigation(browser, String, (hash) => hash !== '#/');
  const [top, below] = [jest.fn(), jest.fn()];
  const dialogs = [below, top, undefined].map((close) => ({ id: '', close }));
  /** The browser shows an entry of its history, where a new one has no number, with so many dialogs open. */
  const arrive = (count: number, hash: string, number: number | null) => {
    openDialogs.value = dialogs.slice(0, count);
    replaceState(number);
    browser.location.hash = hash;
    for (const kind of ['popstate', 'hashchange']) listeners[kind]?.();
    return [currentHash.value, history.state, ...[history.go, top, below].map(({ mock }) => mock.calls)];
  };
  expect(arrive(0, '#/a', null)).toEqual(['#/a', 1, [], [], []]);
  expect(arrive(2, '#/', 0)).toEqual(['#/a', 0, [[1]], [[]], []]);
  expect(arrive(1, '#/a', 1)).toEqual(['#/a', 1, [[1]], [[]], []]);
  expect(arrive(2, '#/b', null)).toEqual(['#/b', 2, [[1]], [[]], []]);
  expect(arrive(3, '#/', 0)).toEqual(['#/', 0, [[1]], [[]], []]);
  expect(takeReturnPosition()).toEqual({ item: '#/b', scrollY: 700 });
  // Another way leads on from there.
  expect(arrive(0, '#/d', null).slice(0, 2)).toEqual(['#/d', 1]);
  // Loaded again, the page goes on with the number of its entry.
  Object.assign(history, { state: 7 });
  createNavigation(browser, String, () => false);
  expect(arrive(0, '#/c', null)).toEqual(['#/d', 8, [[1]], [[]], []]);
});

test('a list is returned to where it was left, once, and another list opens at its start', () => {
  const history = {
    ...{ scrollRestoration: 'auto' as const, state: null as unknown, go: () => {} },
    replaceState: (number: unknown, _: string, to?: string) => {
      Object.assign(history, { state: number });
      if (to !== undefined) hash = to;
    },
  };
  let hash = '#';
  const location = {
    get hash() {
      return hash;
    },
    set hash(to) {
      [hash, history.state] = [to, null];
    },
  };
  const browser = { location, history, scrollY: 0, addEventListener: () => {} };
  const navigation = createNavigation(browser, String, (to) => to.startsWith('#/i/'));
  expect([navigation.currentHash.value, history.scrollRestoration]).toEqual(['#/', 'manual']);
  const visit = (to: string, scrollY = 0) => {
    browser.scrollY = scrollY;
    navigation.go(to);
    return [navigation.returnItem(), navigation.takeReturnPosition()];
  };
  expect(visit('#/a?b=1')).toEqual([undefined, null]);
  expect([visit('#/i/1', 300), visit('#/i/2', 500)]).toEqual(Array(2).fill([undefined, null]));
  const returned = { item: '#/i/2', scrollY: 300 };
  expect(visit('#/a')).toEqual(['#/i/2', returned]);
  expect([navigation.returnItem(), navigation.takeReturnPosition()]).toEqual([undefined, null]);
  visit('#/i/3', 300);
  expect(visit('#/b')).toEqual(['#/i/3', { item: '#/i/3', scrollY: undefined }]);
  visit('#/i/4', 70);
  navigation.go('#/b');
  // A filter is the same list, and a link to what is shown no new entry.
  for (let n = 0; n < 2; n += 1) navigation.go('#/b?c=2');
  expect([navigation.takeReturnPosition(), history.state]).toEqual([{ item: '#/i/4', scrollY: 70 }, 9]);
  navigation.replaceScreen('#/a');
  expect([navigation.route.value, history.state]).toEqual(['#/a', 9]);
  for (const to of ['#/i/5', '#/a']) navigation.go(to);
  expect(visit('#/b')).toEqual([undefined, null]);
  for (const to of ['#/i/6', '#/b', '#/i/7']) navigation.go(to);
  expect(navigation.takeReturnPosition()).toBeNull();
});

test('a file goes to the share sheet, or is saved where there is none, and a sheet that is closed is no error', async () => {
  const file = new File(['abc'], 'visit.ics');
  const saved: unknown[] = [];
  const link = {
    ...{ href: '', download: '' },
    click: () => saved.push([link.download, resolveObjectURL(link.href)?.size]),
  };
  const share = jest.fn(async (_: { files: File[] }) => {});
  const canShare = jest.fn((data: { files: File[] }) => data.files[0] === file);
  browserHas({ document: { createElement: () => link }, navigator: { canShare, share } });
  await shareFile(file);
  share.mockRejectedValueOnce(new DOMException('', 'AbortError'));
  await shareFile(file);
  for (const error of [new DOMException('', 'NotAllowedError'), new TypeError('AbortError')]) {
    share.mockRejectedValueOnce(error);
    await expect(shareFile(file)).rejects.toBe(error);
  }
  expect([share.mock.calls, saved]).toEqual([Array(4).fill([{ files: [file] }]), []]);
  canShare.mockReturnValueOnce(false);
  await shareFile(file);
  browserHas({ navigator: {} });
  await shareFile(file);
  expect([saved, resolveObjectURL(link.href)]).toEqual([Array(2).fill(['visit.ics', 3]), undefined]);
});

test('the page has the colors that were chosen, or those of the device also after they change, its language, and its width', () => {
  const queries: Record<string, { matches: boolean; tell?: (event: object) => void }> = {};
  const matchMedia = (query: string) => {
    const found = { matches: true, tell: (_: object) => {} };
    queries[query] = found;
    const addEventListener = (kind: string, tell: typeof found.tell) =>
      kind === 'change' && Object.assign(found, { tell });
    return Object.assign(found, { addEventListener });
  };
  const root = { dataset: { scheme: '' }, lang: '' };
  browserHas({ matchMedia, document: { documentElement: root } });
  const [scheme, language] = [signal('device'), signal<Language>('en')];
  showAppearance(() => scheme.value, language);
  const shown = [[root.dataset.scheme, root.lang]];
  const change = (query: string, matches: boolean) => {
    const found = queries[query];
    Object.assign(found ?? {}, { matches });
    found?.tell?.({ matches });
  };
  const note = () => shown.push([root.dataset.scheme, root.lang]);
  change('(prefers-color-scheme: dark)', false);
  note();
  scheme.value = 'sunlight';
  language.value = 'es';
  note();
  expect(shown.map((one) => one.join())).toEqual(['dark,en', 'light,en', 'sunlight,es']);
  const isWide = isAtLeastPx(1100);
  const widths = [isWide.value];
  change('(min-width: 1100px)', false);
  expect([...widths, isWide.value]).toEqual([true, false]);
});

test.each([
  [['fr-FR', 'ES-mx', 'en-US'], 'es'],
  [['en-GB', 'es'], 'en'],
  [['pt-BR', 'constructor'], 'en'],
  [[], 'en'],
])('of the languages of the device, %j, the first that the page has is shown: %s', (languages, shown) => {
  browserHas({ navigator: { languages } });
  expect(deviceLanguage()).toBe(shown);
  expect(['en', 'es', 'fr', 'toString', undefined].filter(isLanguage)).toEqual(['en', 'es']);
  expect([localeOf('en'), localeOf('es')]).toEqual(['en-US', 'es-PR']);
});

test.each([
  ['claims.example', true],
  ['localhost', true],
  ['10.example', true],
  ['127.0.0.1', false],
  ['[::1]', false],
])('passkeys are offered by the name of the site, not at an address: %s', (hostname, isOffered) => {
  browserHas({ window: {}, location: { hostname } });
  expect(supportsPasskeys()).toBe(false);
  browserHas({ window: { PublicKeyCredential: Object } });
  expect(supportsPasskeys()).toBe(isOffered);
});

test.each(Object.entries({ localStorage: browserChoices, sessionStorage: tabChoices }))(
  'choices are kept in %s, and where it throws nothing is and the page goes on',
  (name, { read, write }) => {
    const kept = new Map<string, string>();
    const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: kept.set.bind(kept) };
    const get = jest.fn(() => storage);
    Object.defineProperty(globalThis, name, { configurable: true, get });
    write('a', 'b');
    expect([read('a'), read('c'), kept.get('a')]).toEqual(['b', undefined, 'b']);
    get.mockImplementation(() => JSON.parse('{'));
    write('a', 'c');
    expect([read('a'), kept.get('a')]).toEqual([undefined, 'b']);
    Reflect.deleteProperty(globalThis, name);
  },
);

test('of several readings only what the last one finds or meets counts, and nothing after the screen is closed', async () => {
  jest.useFakeTimers();
  const fixed = { insertBefore: Object, appendChild: Object, removeChild: Object };
  const parent = { nodeType: 1, parentNode: null, firstChild: null, childNodes: [], ...fixed };
  const waiting: [found: (value: string) => void, failed: (error: unknown) => void][] = [];
  const [found, failed] = [jest.fn(), jest.fn()];
  const read = () => new Promise<string>((...settle) => waiting.push(settle));
  const Screen = ({ input }: { readonly input: number }): null => {
    useReading(read, found, failed, [input]);
    return null;
  };
  /** Effects run after a frame. */
  const after = async (done: unknown) => [done, await jest.advanceTimersByTimeAsync(1000)];
  const show = (input: number) => after(render(h(Screen, { input }), parent));
  for (const input of [1, 1, 2, 3]) await show(input);
  for (const n of [0, 2]) await after(waiting[n]?.[0](`${n}`));
  await show(4);
  for (const n of [1, 3]) await after(waiting[n]?.[1](n));
  await show(5);
  await after(render(null, parent));
  await after(waiting[4]?.[0]('late'));
  jest.useRealTimers();
  expect([waiting.length, found.mock.calls, failed.mock.calls]).toEqual([5, [['2']], [[3]]]);
});
