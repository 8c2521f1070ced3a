import { readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { afterAll, beforeAll, jest } from '@jest/globals';
import { Window } from 'happy-dom';
import { Fragment, h } from 'preact';
// Before the page has frames: hooks remember whether there are any, also for other files of this worker.
import 'preact/hooks';

// A page without a browser: what the apps use of a document, and an outline of what it shows.

/** What the build makes of styles and of the addresses of files. */
const hook = `const module = (text) => ({ shortCircuit: true, format: 'module', url: 'data:text/javascript,' + text });
export const resolve = (specifier, context, next) => {
  const [, file] = /([^/]+)[?]url$/.exec(specifier) ?? [];
  if (file !== undefined) return module('export default ' + JSON.stringify(file));
  return specifier.endsWith('.css') ? module('') : next(specifier, context);
};`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

/** Nothing is loaded, and no link or form leads away from the page. */
const quiet = {
  disableMainFrameNavigation: true,
  disableChildPageNavigation: true,
  disableFallbackToSetURL: true,
};
const library = new Window({
  url: 'https://claims.example/app',
  settings: { navigation: quiet, viewport: { width: 390, height: 800, devicePixelRatio: 2 } },
});
/** With the types of browsers. */
const window = library as unknown as globalThis.Window & typeof globalThis;
const { document, location, history } = window;
const { body } = document;
body.innerHTML = '<div id="app"></div>';
location.reload = jest.fn();
// A browser tells later that a dialog has closed: to nobody when it is gone by then. What a test sends bubbles.
window.addEventListener('close', (event) => event.bubbles || event.stopPropagation(), { capture: true });

/** Not in an outline: names within the page, looks, what is so by default, and what is named otherwise. */
const UNSEEN =
  /^((id|for|class|style|width|height|tabindex|focusable|viewBox|d|selected|value|checked|open|data-focused|aria-(labelledby|describedby|hidden))=|aria-(busy|disabled|invalid)=false|type=(button|text)$|autocomplete=off)/;
const ALWAYS_SEEN = /^(form|dialog|details|input|select|textarea|canvas)$/;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const isField = (element: Element): element is Field => element.matches('input, select, textarea');

/** How a screen reader names it. */
function nameOf(element: Element): string {
  const by =
    (element.id === '' ? null : document.querySelector(`label[for="${element.id}"]`)) ??
    document.getElementById(element.getAttribute('aria-labelledby') ?? '') ??
    (isField(element) ? element.closest('label') : element);
  return oneLine(element.getAttribute('aria-label') ?? by?.textContent ?? '');
}

function outline(element: Element): string[] {
  const { localName } = element;
  if (element.matches('svg, label[for]')) return [];
  const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === document.TEXT_NODE);
  const whole = oneLine(texts.map(({ textContent }) => textContent).join(''));
  const own = whole.length > 60 ? `${whole.slice(0, 50)}…` : whole;
  const attributes = [...element.attributes].map(({ name, value }) => `${name}=${value}`);
  const seen = attributes.filter((one) => !UNSEEN.test(one));
  if (isField(element)) {
    const hasText = element.value !== '' && !/^(checkbox|radio)$/.test(element.type);
    seen.unshift(nameOf(element), ...(hasText ? [`value=${element.value}`] : []));
  }
  const states = ['indeterminate', 'checked', 'open'] as const;
  seen.push(...states.filter((one) => (element as Partial<HTMLInputElement & HTMLDialogElement>)[one]));
  const classes = own === '' ? [] : [...element.classList].filter((one) => one !== 'button');
  const said = seen.map((one) => one.replace(/^(href|role)=|^aria-|=(true)?$/g, ''));
  const isShown = seen.length > 0 || own !== '' || ALWAYS_SEEN.test(localName);
  return [
    ...(isShown ? [[[localName, ...classes].join('.'), ...said, own].filter(Boolean).join(' ')] : []),
    ...[...element.children].flatMap(outline),
  ];
}

/** An event. @returns whether nothing prevented what a browser does then */
function happens(target: EventTarget, type: string, more: object = {}): boolean {
  const kind = type.startsWith('key')
    ? 'KeyboardEvent'
    : /click|pointer|mouse/.test(type)
      ? 'PointerEvent'
      : 'Event';
  // Never at the place of the tap before, unless a test says so.
  const place = { clientX: performance.now(), clientY: 0 };
  const bubbles = !/^(toggle|cancel)$/.test(type);
  return target.dispatchEvent(new window[kind](type, { bubbles, cancelable: true, ...place, ...more }));
}

type Entry = { readonly target: Element };
/** Of sizes and of what is near the screen, which nothing has here. */
class Observer {
  constructor(
    readonly tell: (entries: Entry[]) => void,
    /** How far from the screen what it observes is near. */
    readonly options: { readonly rootMargin?: string } = {},
  ) {}
  readonly seen = new Set<Element>();
  observe(element: Element): void {
    this.seen.add(element);
    page.observers.add(this);
  }
  unobserve = (element: Element): boolean => this.seen.delete(element);
  disconnect = (): boolean => page.observers.delete(this);
}

class Channel extends window.EventTarget {
  postMessage(): void {}
  close(): void {}
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    // Modules are resolved by another thread.
    if (turn % 40 === 20) await import(import.meta.url);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const STEP_MS = 20;
/** What an act or a timer begins ends before the next timer, so that no result depends on the speed of the machine. */
const wait = async (ms: number): Promise<void> => {
  // A new hash is told in a later turn.
  await library.happyDOM.waitUntilComplete();
  await turns(200);
  for (let left = ms; left > 0; left -= STEP_MS) {
    jest.advanceTimersByTime(Math.min(left, STEP_MS));
    await turns(40);
  }
};

/** The window, and what a person does with the page. Each lets the page come to rest. */
export const page = {
  ...{ window, document, body, location, history, wait, outline, happens },
  observers: new Set<Observer>(),
  focused: (): string => nameOf(document.activeElement ?? body),
  shows: (selector = 'body'): string[] => [...document.querySelectorAll(selector)].flatMap(outline),
  find<Found extends Element = HTMLInputElement>(
    label: string | RegExp,
    names = 'button, a, input, select, textarea, summary',
  ): Found {
    const isNamed = (name: string) => (typeof label === 'string' ? name === label : label.test(name));
    const found = [...document.querySelectorAll<Found>(names)].filter((one) => isNamed(nameOf(one))).at(-1);
    if (found === undefined) throw new Error(`There is no “${label}” in:\n${outline(body).join('\n')}`);
    return found;
  },
  async press(label: string | RegExp): Promise<void> {
    const element = page.find(label);
    element.focus();
    happens(element, 'click');
    await wait(1000);
  },
  async type(label: string, value: string, kind = 'input'): Promise<void> {
    happens(Object.assign(page.find(label), { value }), kind);
    await wait(1000);
  },
  async choose(label: string, option: string): Promise<void> {
    const select = page.find<HTMLSelectElement>(label, 'select');
    select.selectedIndex = [...select.options].findIndex(({ text }) => text === option);
    happens(select, 'change');
    await wait(1000);
  },
  async tick(label: string | RegExp): Promise<void> {
    happens(page.find(label, 'input'), 'click');
    await wait(1000);
  },
  /** What observers are told. */
  observe(more: object = {}): void {
    const contentRect = { width: 390, height: 500 };
    const entry = { isIntersecting: true, contentRect, borderBoxSize: [], ...more };
    for (const { tell, seen } of page.observers) tell([...seen].map((target) => ({ target, ...entry })));
  },
  async go(to: string): Promise<void> {
    location.hash = to;
    await wait(1000);
  },
};

const { Element, HTMLElement, FormData, localStorage, sessionStorage } = window;
const { innerHeight, scrollY, devicePixelRatio } = window;
const GLOBALS = {
  // What JSX becomes outside of the project of the pages.
  React: { createElement: h, Fragment },
  ...{ document, location, history, window: globalThis, Element, HTMLElement, FormData },
  ...{ BroadcastChannel: Channel, ResizeObserver: Observer, IntersectionObserver: Observer },
  ...{ localStorage, sessionStorage, innerHeight, scrollY, devicePixelRatio },
  addEventListener: window.addEventListener.bind(window),
  matchMedia: window.matchMedia.bind(window),
  scrollTo: window.scrollTo.bind(window),
  requestAnimationFrame: (frame: (now: number) => void) => setTimeout(() => frame(performance.now()), 16),
  cancelAnimationFrame: (timer: number) => clearTimeout(timer),
};

/**
 * Loads what an app and its packages load when they are first used, so that no test waits for the disk.
 * @param folder of the app's source
 */
export async function loadAll(folder: URL): Promise<void> {
  const packages = ['web-app', 'csv-import'].map((name) => new URL(`../../${name}/src/`, import.meta.url));
  for (const within of [folder, ...packages])
    for (const name of readdirSync(within, { recursive: true, encoding: 'utf8' })) {
      if (!/[.]tsx?$/.test(name)) continue;
      const file = new URL(name, within);
      for (const [, loaded = ''] of readFileSync(file, 'utf8').matchAll(/import[(]'((?:[.]|@svc)[^']+)'[)]/g))
        await import(loaded.startsWith('.') ? new URL(loaded, file).href : loaded);
    }
}

/** For the tests of this file, with fake timers. @param more of the browser, such as `navigator` and `fetch` */
export function fakePage(more: object): void {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  const names = Object.keys({ ...GLOBALS, ...more });
  beforeAll(() => {
    jest.useFakeTimers({
      now: Date.parse('2026-09-01T15:00:00Z'),
      doNotFake: ['setImmediate', 'queueMicrotask'],
    });
    for (const [name, value] of Object.entries({ ...GLOBALS, ...more }))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  });
  afterAll(() => {
    jest.useRealTimers();
    for (const name of names) Reflect.deleteProperty(globalThis, name);
    Object.defineProperties(globalThis, before);
  });
}
