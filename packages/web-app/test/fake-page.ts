import { register } from 'node:module';
import { afterAll, beforeAll, jest } from '@jest/globals';
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

type Listener = (event: object) => void;
class Listeners {
  readonly heard = new Map<string, Set<Listener>>();
  addEventListener(kind: string, listener: Listener): void {
    this.heard.set(kind, (this.heard.get(kind) ?? new Set()).add(listener));
  }
  removeEventListener(kind: string, listener: Listener): void {
    this.heard.get(kind)?.delete(listener);
  }
  tell(kind: string, event: object = {}): void {
    for (const listener of [...(this.heard.get(kind) ?? [])]) listener.call(this, event);
  }
}

/** Not in an outline: names within the page, looks, and what is so by default. */
const UNSEEN =
  /^((id|for|class|style|width|height|tabIndex|focusable|viewBox|d|selected|aria-(labelledby|describedby|hidden))=|aria-(busy|disabled|invalid)=false|type=(button|text)$|autocomplete=off)/;
const ALWAYS_SEEN = /^(form|dialog|details|input|select|textarea|canvas)$/;

class FakeNode extends Listeners {
  childNodes: FakeNode[] = [];
  parentNode: FakeNode | null = null;
  readonly attributes = new Map<string, string>();
  readonly style = styles();
  readonly dataset: Record<string, string> = {};
  readonly calls: unknown[][] = [];
  value = '';
  defaultValue = '';
  checked = false;
  open = false;
  selectedIndex = -1;
  /** @param data of a text, which has no name */
  constructor(
    readonly localName: string,
    public data = '',
  ) {
    super();
  }
  get nodeType() {
    return this.localName === '' ? 3 : 1;
  }
  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }
  get firstElementChild(): FakeNode | null {
    return this.childNodes.find(({ nodeType }) => nodeType === 1) ?? null;
  }
  get childElementCount(): number {
    return this.childNodes.filter(({ nodeType }) => nodeType === 1).length;
  }
  get nextSibling(): FakeNode | null {
    const { childNodes = [] } = this.parentNode ?? {};
    return childNodes[childNodes.indexOf(this) + 1] ?? null;
  }
  get isConnected(): boolean {
    return this === body || this.parentNode?.isConnected === true;
  }
  get textContent(): string {
    return this.data + this.childNodes.map(({ textContent }) => textContent).join('');
  }
  get all(): FakeNode[] {
    return this.childNodes.flatMap((node) => (node.nodeType === 3 ? [] : [node, ...node.all]));
  }
  get href() {
    return this.attributes.get('href') ?? '';
  }
  set href(to: string) {
    this.setAttribute('href', to);
  }
  contains(node: FakeNode): boolean {
    return this === node || this.all.includes(node);
  }
  querySelectorAll(selector: string): FakeNode[] {
    return this.all.filter((one) => one.matches(selector));
  }
  /** Of a form. */
  reset(): void {
    for (const field of this.all) field.value = '';
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
    if (name.startsWith('data-')) this.dataset[name.slice(5)] = String(value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  remove(): void {
    const { childNodes = [] } = this.parentNode ?? {};
    childNodes.splice(childNodes.indexOf(this), 1);
    this.parentNode = null;
    if (document.activeElement.isConnected) return;
    document.activeElement = body;
  }
  insertBefore(node: FakeNode, next: FakeNode | null): void {
    if (node.parentNode !== null)
      node.parentNode.childNodes.splice(node.parentNode.childNodes.indexOf(node), 1);
    node.parentNode = this;
    this.childNodes.splice(next === null ? this.childNodes.length : this.childNodes.indexOf(next), 0, node);
  }
  matches(selectors: string): boolean {
    return selectors.split(',').some((selector) => {
      const [own = '', ...above] = selector.trim().split(/\s+/).reverse();
      const [name] = /^\w*/.exec(own) ?? [''];
      const classes = [...own.matchAll(/\.([\w-]+)/g)].map(([, one]) => one);
      const wanted = [...own.matchAll(/(:not\()?\[([\w-]+)(?:="?([^"\]]*)"?)?\]/g)];
      const has = this.attributes.get('class')?.split(' ') ?? [];
      return (
        (name === '' || name === this.localName) &&
        classes.every((one) => has.includes(one ?? '')) &&
        wanted.every(([, not, key = '', value]) => {
          const own = this.attributes.get(key);
          return (own !== undefined && (value === undefined || own === value)) === (not === undefined);
        }) &&
        (above.length === 0 || this.parentNode?.closest(above.toReversed().join(' ')) != null)
      );
    });
  }
  closest(selector: string): FakeNode | null {
    return this.matches(selector) ? this : (this.parentNode?.closest(selector) ?? null);
  }
  focus(): void {
    document.activeElement = this;
  }
  showModal(): void {
    this.open = true;
  }
  close(): void {
    this.open = false;
  }
  scrollIntoView(...how: unknown[]): void {
    this.calls.push(['scrollIntoView', ...how]);
  }
  setPointerCapture(): void {}
  getBoundingClientRect() {
    return { left: 0, top: 0, right: 0, bottom: 0, width: 0, height: 0 };
  }
  getContext(): null {
    return null;
  }
  click(): void {
    this.happens('click');
  }
  /** An event that rises from here to the window. @returns whether nothing prevented what a browser does then */
  happens(type: string, more: object = {}): boolean {
    let [goes, isDone] = [true, true];
    const event = {
      ...{ type, target: this, currentTarget: this as FakeNode, timeStamp: performance.now() },
      // Never at the place of the tap before, unless a test says so.
      ...{ clientX: performance.now(), clientY: 0, ...more },
      stopPropagation: () => {
        goes = false;
      },
      preventDefault: () => {
        isDone = false;
      },
    };
    if (type === 'click') page.tell('click', event);
    for (let node: FakeNode | null = this; node !== null && goes; node = node.parentNode) {
      event.currentTarget = node;
      node.tell(type, event);
      if (type === 'toggle') break;
    }
    return isDone;
  }
  /** How a screen reader names it. */
  get label(): string {
    const has = (name: string, value: string | undefined) =>
      value === undefined ? undefined : body.all.find(({ attributes }) => attributes.get(name) === value);
    const isField = ['input', 'select', 'textarea'].includes(this.localName);
    const by =
      has('for', this.attributes.get('id')) ??
      has('id', this.attributes.get('aria-labelledby')) ??
      (isField ? this.closest('label') : this);
    const label = this.attributes.get('aria-label') ?? by?.textContent ?? '';
    return label.replace(/\s+/g, ' ').trim();
  }
  get outline(): string[] {
    const text = this.childNodes.map(({ data }) => data).join('');
    const whole = text.replace(/\s+/g, ' ').trim();
    const own = whole.length > 60 ? `${whole.slice(0, 50)}…` : whole;
    const seen = [...this.attributes].map((one) => one.join('=')).filter((one) => !UNSEEN.test(one));
    const isField = ['input', 'select', 'textarea'].includes(this.localName);
    if (isField) seen.unshift(this.label, ...(this.value === '' ? [] : [`value=${this.value}`]));
    if (this.checked) seen.push('checked');
    if (this.open) seen.push('open');
    const classes =
      own === '' ? [] : (this.attributes.get('class') ?? '').split(' ').filter((one) => one !== 'button');
    const name = [this.localName, ...classes.filter(Boolean)].join('.');
    const said = [name, ...seen.map((one) => one.replace(/^(href|role)=|^aria-|=true$/g, '')), own];
    const isShown = seen.length > 0 || own !== '' || ALWAYS_SEEN.test(this.localName);
    const inner = this.localName === 'svg' ? [] : this.childNodes.flatMap((node) => node.outline);
    const isOther =
      ['', 'svg', 'label'].includes(this.localName) &&
      (this.localName !== 'label' || this.attributes.has('for'));
    return isOther ? [] : [...(isShown ? [said.filter(Boolean).join(' ')] : []), ...inner];
  }
}

function styles() {
  const set: Record<string, unknown> = {};
  const setProperty = (name: string, value: string) => {
    set[name] = value;
  };
  return Object.assign(set, {
    setProperty,
    removeProperty: (name: string) => Reflect.deleteProperty(set, name),
  });
}

const body = new FakeNode('body');
const root = new FakeNode('div');
root.setAttribute('id', 'app');
body.insertBefore(root, null);

const document = Object.assign(new Listeners(), {
  ...{
    title: '',
    activeElement: body,
    body,
    documentElement: new FakeNode('html'),
    visibilityState: 'visible',
  },
  createElement: (name: string) => new FakeNode(name),
  createElementNS: (_: string, name: string) => new FakeNode(name),
  createTextNode: (text: string) => new FakeNode('', text),
  getElementById: (id: string) => body.all.find(({ attributes }) => attributes.get('id') === id) ?? null,
  querySelector: (selector: string) => body.all.find((one) => one.matches(selector)) ?? null,
  querySelectorAll: (selector: string) => body.all.filter((one) => one.matches(selector)),
});

class Storage {
  readonly kept = new Map<string, string>();
  getItem = (key: string) => this.kept.get(key) ?? null;
  setItem = (key: string, text: string) => void this.kept.set(key, text);
}

class Observer {
  constructor(readonly tell: Listener) {}
  readonly seen = new Set<FakeNode>();
  observe(node: FakeNode): void {
    this.seen.add(node);
    page.observers.add(this);
  }
  unobserve = (node: FakeNode): boolean => this.seen.delete(node);
  disconnect = (): boolean => page.observers.delete(this);
}

class FormData extends Map<string, string> {
  constructor(form: FakeNode) {
    super();
    for (const { attributes, value, defaultValue } of form.all) {
      const name = attributes.get('name');
      if (name !== undefined) this.set(name, value || defaultValue);
    }
  }
}

class Channel extends Listeners {
  postMessage(): void {}
  close(): void {}
}

let hash = '';
const location = {
  ...{ pathname: '/app', hostname: 'claims.example', search: '', reload: jest.fn() },
  get hash() {
    return hash;
  },
  set hash(to) {
    if (to === hash) return;
    hash = to;
    history.state = null;
    for (const kind of ['popstate', 'hashchange']) page.tell(kind);
  },
};
const history = {
  ...{ state: null as unknown, scrollRestoration: 'auto', go: jest.fn() },
  replaceState(state: unknown, _: string, to = hash) {
    [history.state, hash] = [state, to];
  },
};

/** Of an effect after a rendering. */
const EFFECT_MS = 40;
/** The last parts are for what is loaded by an effect, and by an effect of that in turn. */
const wait = async (ms: number): Promise<void> => {
  const end = ms < 1000 ? [1, 1] : [EFFECT_MS, EFFECT_MS, EFFECT_MS, EFFECT_MS];
  for (const part of [ms - end.length * (end[0] ?? 0), ...end]) {
    await jest.advanceTimersByTimeAsync(part);
    for (let turns = 0; turns < 200; turns += 1) {
      // Modules are resolved by another thread.
      if (turns % 50 === 25) await import(import.meta.url);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
};

/** The window, and what a person does with the page. Each lets the page come to rest. */
export const page = Object.assign(new Listeners(), {
  ...{ document, body, root, location, history, wait, observers: new Set<Observer>() },
  shows: (selector = 'body'): string[] =>
    (selector === 'body' ? [body] : document.querySelectorAll(selector)).flatMap(({ outline }) => outline),
  find(label: string | RegExp, names = 'button, a, input, select, textarea, summary'): FakeNode {
    const found = body.all.filter(
      (one) =>
        one.matches(names) && (typeof label === 'string' ? one.label === label : label.test(one.label)),
    );
    const last = found.at(-1);
    if (last === undefined) throw new Error(`There is no “${label}” in:\n${root.outline.join('\n')}`);
    return last;
  },
  async press(label: string | RegExp): Promise<void> {
    const element = page.find(label);
    element.focus();
    const isDone = element.happens('click');
    const { attributes } = element;
    if (isDone && attributes.get('type') === 'submit') element.closest('form')?.happens('submit');
    if (isDone && element.href.startsWith('#')) location.hash = element.href;
    await wait(1000);
  },
  async type(label: string, value: string, kind = 'input'): Promise<void> {
    const element = page.find(label);
    Object.assign(element, { value }).happens(kind);
    await wait(1000);
  },
  async choose(label: string, option: string): Promise<void> {
    const element = page.find(label, 'select');
    const selectedIndex = element.childNodes.findIndex(({ textContent }) => textContent === option);
    const { value = '' } = element.childNodes[selectedIndex] ?? {};
    Object.assign(element, { value, selectedIndex }).happens('change');
    await wait(1000);
  },
  async tick(label: string | RegExp): Promise<void> {
    const element = page.find(label, 'input');
    Object.assign(element, { checked: !element.checked }).happens('change');
    await wait(1000);
  },
  /** What observers of sizes and of what is near the screen are told. */
  observe(more: object = {}): void {
    const entry = {
      isIntersecting: true,
      contentRect: { width: 390, height: 500 },
      borderBoxSize: [],
      ...more,
    };
    for (const { tell, seen } of page.observers) tell([...seen].map((target) => ({ target, ...entry })));
  },
  async go(to: string): Promise<void> {
    location.hash = to;
    await wait(1000);
  },
});

const GLOBALS = {
  // What JSX becomes outside of the project of the pages.
  React: { createElement: h, Fragment },
  ...{ document, location, history, window: globalThis, Element: FakeNode, HTMLElement: FakeNode, FormData },
  ...{ BroadcastChannel: Channel, ResizeObserver: Observer, IntersectionObserver: Observer },
  ...{
    localStorage: new Storage(),
    sessionStorage: new Storage(),
    innerHeight: 800,
    scrollY: 0,
    devicePixelRatio: 2,
  },
  addEventListener: page.addEventListener.bind(page),
  matchMedia: () => Object.assign(new Listeners(), { matches: false }),
  scrollTo: jest.fn(),
  requestAnimationFrame: (frame: (now: number) => void) => setTimeout(() => frame(performance.now()), 16),
  cancelAnimationFrame: (timer: number) => clearTimeout(timer),
};

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
