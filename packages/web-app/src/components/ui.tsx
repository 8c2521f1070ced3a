import { signal } from '@preact/signals';
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';

const ICON_PATHS = {
  offers: 'M4 13h4l2 3h4l2-3h4M4 13l3-8h10l3 8v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1z',
  claims: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  firms: 'M4 21V6l8-3 8 3v15M9 21v-5h6v5M8 9h2M14 9h2M8 13h2M14 13h2',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM9 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  call: 'M6 3h3l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z',
  text: 'M4 5h16v11H9l-5 4z',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  map: 'M12 21s7-6.5 7-11.5a7 7 0 1 0-14 0C5 14.500 12 21 12 21zM12 7.500a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400z',
  check: 'M5 13l4.500 4.500L19 7',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.500l3 2',
  cloud: 'M7 18a4 4 0 0 1-.5-8 6 6 0 0 1 11.300 1.500A3.300 3.300 0 0 1 17 18M4 4l16 16',
  invite:
    'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM3 20c0-3.500 2.500-5.500 6-5.500s6 2 6 5.500M18 8v6M15 11h6',
  close: 'M6 6l12 12M18 6L6 18',
  house: 'M4 11l8-7 8 7M6 10v10h12V10M10 20v-5h4v5',
} as const;
export type IconName = keyof typeof ICON_PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={ICON_PATHS[name]} />
  </svg>
);

/** Longer than the pause between the taps of a double tap. */
const SETTLING_MS = 700;

/** Whether what is on the screen takes taps. */
interface Settled {
  /** For assistive technology. */
  readonly isSettled: boolean;
  /** Whether a tap was made for it, and not for what was there before. */
  takes(event: Event): boolean;
}
export const Settling = createContext<Settled>({ isSettled: true, takes: () => true });

/** Calls back once what was rendered has been painted: in the frame after the next one. @returns a function that stops this. */
function whenPainted(listener: () => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(listener);
  });
  return () => cancelAnimationFrame(frame);
}

/**
 * No tap counts for a moment after the first painting and after that of each change of the key. A tap is judged by when the
 * finger made it, not by when the page comes to it: on a busy phone it waits behind what it did not see.
 */
export function useSettling(key: string): Settled {
  const [settledKey, setSettledKey] = useState<string>();
  const painted = useRef<{ readonly key: string; readonly at: number } | null>(null);
  // Before anything is painted.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = whenPainted(() => {
      painted.current = { key, at: performance.now() };
      timer = setTimeout(() => setSettledKey(key), SETTLING_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [key]);
  return {
    isSettled: settledKey === key,
    takes: ({ timeStamp }) => painted.current?.key === key && timeStamp - painted.current.at >= SETTLING_MS,
  };
}

/**
 * Its buttons take no tap for a moment after they appear or `shows` changes: the second tap of a double tap, or one that
 * was on its way when the screen changed, was meant for something else.
 */
export const TapGuard = (props: { readonly shows: string; readonly children: ComponentChildren }) => (
  <Settling.Provider value={useSettling(props.shows)}>{props.children}</Settling.Provider>
);

type ButtonProps = {
  readonly kind?: 'primary' | 'neutral' | 'quiet' | 'danger';
  readonly busy?: boolean | undefined;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
} & Omit<JSX.IntrinsicElements['button'], 'class'>;

/** The last tap on a button that answers, confirms or takes back. */
let lastTap: {
  readonly target: Element;
  readonly x: number;
  readonly y: number;
  /** When the screen without the button was painted. */
  goneAt?: number;
} | null = null;
const SAME_PLACE_PX = 40;
const WATCHED_MS = 10_000;

/** Finds out when the button of the tap has disappeared. */
function watch(tap: NonNullable<typeof lastTap>, until: number): void {
  requestAnimationFrame(() => {
    if (tap !== lastTap) return;
    if (!tap.target.isConnected)
      whenPainted(() => {
        tap.goneAt = performance.now();
      });
    else if (performance.now() < until) watch(tap, until);
    else lastTap = null;
  });
}

// When its button has disappeared, further taps at its place must not reach what is there now, such as a link to a map.
addEventListener(
  'click',
  (event) => {
    const { target, clientX: x, clientY: y, timeStamp: at } = event;
    if (
      lastTap?.target.isConnected === false &&
      (lastTap.goneAt === undefined || at - lastTap.goneAt < SETTLING_MS) &&
      Math.hypot(x - lastTap.x, y - lastTap.y) < SAME_PLACE_PX
    ) {
      if (lastTap.goneAt !== undefined) lastTap.goneAt = Math.max(at, lastTap.goneAt);
      event.preventDefault();
      event.stopPropagation();
    } else if (target instanceof Element && target.closest('dialog, .action-bar, .toast, .queued-answers')) {
      lastTap = { target, x, y };
      watch(lastTap, at + WATCHED_MS);
    }
  },
  { capture: true },
);

export function Button({ kind = 'neutral', busy = false, wide = false, children, ...rest }: ButtonProps) {
  const { isSettled, takes } = useContext(Settling);
  const { onClick } = rest;
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind}${wide ? ' wide' : ''}`}
      aria-busy={busy}
      // A disabled button would lose the keyboard focus.
      aria-disabled={busy || !isSettled}
      onClick={(event) => (busy || !takes(event) ? event.preventDefault() : onClick?.(event))}
    >
      {children}
    </button>
  );
}

/** Moves the focus to the screen's heading: the last one, since a wide screen shows a claim after its list. */
export function focusHeading(): void {
  const heading = [...document.querySelectorAll<HTMLElement>('main h1')].at(-1);
  heading?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Not a link, because the hash is used for routes. */
export const SkipButton = () => (
  <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main h1')?.focus()}>
    {useApp().texts.value.skip}
  </button>
);

/** A screen's heading. It takes the focus, so that a screen reader reads it; on return to a list, the item does. */
export function ScreenHeader(props: {
  readonly title: string;
  readonly back?: string | undefined;
  /** Beside the title. */
  readonly aside?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { texts, navigation } = useApp();
  useEffect(() => {
    document.title = `${props.title} · ${texts.value.app}`;
  }, [props.title]);
  useLayoutEffect(() => {
    const returning = navigation.takeReturnPosition();
    const item = document.querySelector<HTMLElement>(`main .list a[href="${returning?.item}"]`);
    const target = item ?? heading.current;
    if (returning === null || (item === null && returning.scrollY === undefined)) scrollTo(0, 0);
    else if (returning.scrollY !== undefined) scrollTo(0, returning.scrollY);
    else item?.scrollIntoView({ block: 'center' });
    target?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="screen-header">
      {props.back !== undefined && (
        <a class="back" href={props.back}>
          <Icon name="back" />
          <span>{texts.value.back}</span>
        </a>
      )}
      <div class="title">
        <h1 ref={heading} tabIndex={-1}>
          {props.title}
        </h1>
        {props.aside !== undefined && <p class="muted">{props.aside}</p>}
      </div>
      {props.children}
    </header>
  );
}

export const EmptyState = (props: {
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty-state">
    <Icon name={props.icon ?? 'offers'} />
    <h2>{props.title}</h2>
    {props.children}
  </div>
);

/** Keeps the height of a pinned element in a CSS variable, so that nothing is hidden behind it. */
export function useHeightVariable<E extends HTMLElement>(name: string) {
  const element = useRef<E>(null);
  // Not a later effect: its cleanup would remove the height that the next bar has set.
  useLayoutEffect(() => {
    const root = document.documentElement.style;
    const observer = new ResizeObserver(([entry]) =>
      root.setProperty(name, `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`),
    );
    if (element.current !== null) observer.observe(element.current);
    return () => {
      observer.disconnect();
      root.removeProperty(name);
    };
  }, [name]);
  return element;
}

/** Whether the bottom of the screen has buttons that answer an offer or follow an answer. */
export const hasAnswerBar = signal(false);

/** Buttons at the bottom of the screen, in reach of a thumb. `shows`: changes with what the buttons are for. */
export const ActionBar = (props: { readonly shows: string; readonly children: ComponentChildren }) => (
  <div class="action-bar" ref={useHeightVariable<HTMLDivElement>('--bar-height')}>
    <TapGuard shows={props.shows}>{props.children}</TapGuard>
  </div>
);

export const Note = (props: {
  readonly kind: 'neutral' | 'warning' | 'success';
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) => (
  <div class={`note ${props.kind}`}>
    {props.icon !== undefined && <Icon name={props.icon} />}
    <div class="note-body">{props.children}</div>
  </div>
);

export const TestBadge = ({ test }: { test: boolean }) =>
  test ? <span class="badge">{useApp().texts.value.test}</span> : null;
