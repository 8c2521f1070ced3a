import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { chunkHeight, chunksOf, chunksToRender } from '../row-chunks.ts';

const ESTIMATED_ROW_HEIGHT_PX = 92;
/** Chunks this close to the screen are rendered also during a scroll. */
const MARGIN_PX = 1200;
/** While nothing scrolls, chunks this close are rendered: a whole list of 300, so that a swipe finds rendered rows. */
const MARGIN_AT_REST_PX = 60_000;
/** More than a list of 300 has: in a scroll through thousands, the document would grow without end. */
const MAX_LEAVING = 50;
/** Rendering ahead starts at the first scroll or after this time: a slow phone is busy while the list opens. */
const OPENING_MS = 3000;
/** Without a scroll event for this time, nothing scrolls. */
const REST_MS = 150;

/** Kept while the page is open, so that a list has its height again when somebody comes back to it. */
const measured = new Map<string, { readonly height: number; readonly rows: number }>();

const listeners = new WeakMap<Element, (near: boolean) => void>();
/** Chunks to render. */
const waiting = new Set<Element>();
/** Chunks to empty, while nothing scrolls: it takes nearly as long as rendering them. */
const leaving = new Set<Element>();
/** By their margin. */
const observers = new Map<number, IntersectionObserver>();
let isScheduled = false;
let rendersAhead = false;
let scrolledAt = Number.NEGATIVE_INFINITY;

function startRenderingAhead(): void {
  rendersAhead = true;
  schedule();
}

// Captured, because the list next to a claim is a scroll container, and scroll events do not bubble.
addEventListener(
  'scroll',
  () => {
    scrolledAt = performance.now();
    startRenderingAhead();
  },
  { capture: true, passive: true },
);

function renderSome(): void {
  isScheduled = false;
  const isAtRest = performance.now() - scrolledAt > REST_MS;
  // As of this frame: in a fast scroll, a chunk that was near when it began to wait is on the screen by now.
  const distances = new Map<Element, number>();
  for (const element of waiting) {
    const { top, bottom } = element.getBoundingClientRect();
    distances.set(element, Math.max(top - innerHeight, -bottom));
  }
  // At rest without a limit, since the observer rounds its margin differently: a chunk could wait forever.
  const near = chunksToRender(distances, isAtRest && rendersAhead ? undefined : MARGIN_PX);
  for (const element of near) {
    waiting.delete(element);
    listeners.get(element)?.(true);
  }
  const [left] = leaving;
  if (left !== undefined && ((isAtRest && waiting.size === 0) || leaving.size > MAX_LEAVING)) {
    leaving.delete(left);
    listeners.get(left)?.(false);
  }
  if (rendersAhead || near.length > 0) schedule();
}

/** Renders the chunks on the screen at once, and of those near it one in each frame, because two would make it late. */
function schedule(): void {
  if (isScheduled || waiting.size + leaving.size === 0) return;
  isScheduled = true;
  requestAnimationFrame(renderSome);
}

/** Calls the listener when the element comes near the screen or leaves it. @returns a function that stops this. */
function whenNear(element: Element, aheadPx: number, listener: (near: boolean) => void): () => void {
  if (observers.size === 0) setTimeout(startRenderingAhead, OPENING_MS);
  const near =
    observers.get(aheadPx) ??
    new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const [to, from] = isIntersecting ? [waiting, leaving] : [leaving, waiting];
          from.delete(target);
          if (isIntersecting !== target.childElementCount > 0) to.add(target);
        }
        schedule();
      },
      { rootMargin: `${aheadPx}px 0px` },
    );
  observers.set(aheadPx, near);
  listeners.set(element, listener);
  near.observe(element);
  return () => {
    waiting.delete(element);
    leaving.delete(element);
    near.unobserve(element);
  };
}

/** A list of which only the part near the screen is in the document. */
export function WindowedList<Item extends { readonly id: string }>({
  items,
  row,
  label,
  aheadPx = MARGIN_AT_REST_PX,
  chunkRows,
}: {
  readonly items: readonly Item[];
  readonly row: (item: Item) => JSX.Element;
  readonly label?: string | undefined;
  /** While nothing scrolls, what is this close is in the document. */
  readonly aheadPx?: number;
  readonly chunkRows?: number;
}) {
  const chunks = chunksOf(items, chunkRows);
  // The first rendering must contain the item that was open before, to give it the focus.
  const returning = useApp().navigation.returnItem();
  return (
    <div class="list rows">
      {chunks.map((chunk, index) => (
        <Chunk
          key={chunk[0]?.id}
          items={chunk}
          row={row}
          label={label}
          aheadPx={aheadPx}
          initiallyShown={index === 0 || chunk.some(({ id }) => returning?.endsWith(id) === true)}
        />
      ))}
    </div>
  );
}

function Chunk<Item extends { readonly id: string }>({
  items,
  row,
  label,
  aheadPx,
  initiallyShown,
}: {
  readonly items: readonly Item[];
  readonly row: (item: Item) => JSX.Element;
  readonly label: string | undefined;
  readonly aheadPx: number;
  readonly initiallyShown: boolean;
}) {
  const [shown, setShown] = useState(initiallyShown);
  const element = useRef<HTMLUListElement>(null);
  const key = items[0]?.id ?? '';
  const height = () => `${chunkHeight(key, items.length, measured, ESTIMATED_ROW_HEIGHT_PX)}px`;
  useEffect(() => (element.current === null ? undefined : whenNear(element.current, aheadPx, setShown)), []);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    if (!shown) {
      // Again, since the first chunk of the first list has been measured by now.
      box.style.height = height();
      return;
    }
    // The chunks after the first one estimate their heights by it. Reading every height here would lay out the page for
    // each chunk.
    if (measured.size === 0) measured.set(key, { height: box.offsetHeight, rows: items.length });
    const observer = new ResizeObserver(([entry]) =>
      measured.set(key, { height: entry?.borderBoxSize[0]?.blockSize ?? 0, rows: items.length }),
    );
    observer.observe(box);
    return () => observer.disconnect();
  }, [shown, key, items.length]);
  return (
    // With the height from the start, so that one comes back to the same position of a long list.
    <ul ref={element} class="chunk" aria-label={label} {...(!shown && { style: { height: height() } })}>
      {shown && items.map((item) => <li key={item.id}>{row(item)}</li>)}
    </ul>
  );
}
