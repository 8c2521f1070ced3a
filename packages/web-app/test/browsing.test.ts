import { expect, jest, test } from '@jest/globals';
import { h, render } from 'preact';
import { browserChoices, tabChoices } from '../src/choices.ts';
import { createNavigation } from '../src/navigation.ts';
import { openDialogs } from '../src/open-dialogs.ts';
import { useReading } from '../src/use-reading.ts';

test('Back closes the dialog on top, if it can be closed, and leaves the screen; a link in a dialog leads on', () => {
  const replaceState = (number: unknown): object => Object.assign(history, { state: number });
  const history = { scrollRestoration: 'auto' as const, state: null as unknown, go: jest.fn(), replaceState };
  const listeners: (() => void)[] = [];
  const addEventListener = (_: string, listener: () => void) => listeners.push(listener);
  const browser = { location: { hash: '#/' }, history, scrollY: 700, addEventListener };
  const { currentHash, takeReturnPosition } = createNavigation(browser, String, (hash) => hash !== '#/');
  const [top, below] = [jest.fn(), jest.fn()];
  const dialogs = [below, top, undefined].map((close) => ({ id: '', close }));
  /** The browser shows an entry of its history, where a new one has no number, with so many dialogs open. */
  const arrive = (count: number, hash: string, number: number | null) => {
    openDialogs.value = dialogs.slice(0, count);
    replaceState(number);
    browser.location.hash = hash;
    for (const listener of listeners.toReversed()) listener();
    return [currentHash.value, history.state, ...[history.go, top, below].map(({ mock }) => mock.calls)];
  };
  expect(arrive(0, '#/a', null)).toEqual(['#/a', 1, [], [], []]);
  expect(arrive(2, '#/', 0)).toEqual(['#/a', 0, [[1]], [[]], []]);
  expect(arrive(1, '#/a', 1)).toEqual(['#/a', 1, [[1]], [[]], []]);
  expect(arrive(2, '#/b', null)).toEqual(['#/b', 2, [[1]], [[]], []]);
  expect(arrive(3, '#/', 0)).toEqual(['#/', 0, [[1]], [[]], []]);
  expect(takeReturnPosition()).toEqual({ item: '#/b', scrollY: 700 });
  openDialogs.value = [];
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
