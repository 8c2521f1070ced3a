import type { AppClaim } from '@svc/contract';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chunkHeight, chunksOf } from '../model/row-chunks.ts';
import { returnItem } from '../navigation.ts';

const ESTIMATED_ROW_HEIGHT_PX = 92;
/** Chunks this close to the screen are rendered. */
const MARGIN_PX = 1200;

/** Kept while the page is open, so that a list has its height again when the adjuster comes back to it. */
const measured = new Map<string, { readonly height: number; readonly rows: number }>();

const listeners = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** Tells when the element comes near the screen or leaves it; returns what ends that. */
function whenNear(element: Element, listener: (near: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    { rootMargin: `${MARGIN_PX}px 0px` },
  );
  const near = observer;
  listeners.set(element, listener);
  near.observe(element);
  return () => near.unobserve(element);
}

/** A list of which only the part near the screen is in the document. */
export function WindowedList({
  claims,
  row,
  label,
}: {
  readonly claims: readonly AppClaim[];
  readonly row: (claim: AppClaim) => JSX.Element;
  readonly label?: string | undefined;
}) {
  const chunks = chunksOf(claims);
  // The first look at the list must contain what the adjuster comes back to, to give it the focus.
  const returning = returnItem();
  return (
    <div class="list rows">
      {chunks.map((chunk, index) => (
        <Chunk
          key={chunk[0]?.id}
          claims={chunk}
          row={row}
          label={label}
          shownFirst={index === 0 || chunk.some(({ id }) => returning?.endsWith(id) === true)}
        />
      ))}
    </div>
  );
}

function Chunk({
  claims,
  row,
  label,
  shownFirst,
}: {
  readonly claims: readonly AppClaim[];
  readonly row: (claim: AppClaim) => JSX.Element;
  readonly label: string | undefined;
  readonly shownFirst: boolean;
}) {
  const [shown, setShown] = useState(shownFirst);
  const element = useRef<HTMLUListElement>(null);
  const key = claims[0]?.id ?? '';
  useEffect(() => (element.current === null ? undefined : whenNear(element.current, setShown)), []);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    if (!shown) {
      box.style.height = `${chunkHeight(key, claims.length, measured, ESTIMATED_ROW_HEIGHT_PX)}px`;
      return;
    }
    box.style.removeProperty('height');
    // The chunks after the first one estimate their heights by it. Reading every height here would lay out the page for
    // each chunk.
    if (measured.size === 0) measured.set(key, { height: box.offsetHeight, rows: claims.length });
    const observer = new ResizeObserver(([entry]) =>
      measured.set(key, { height: entry?.borderBoxSize[0]?.blockSize ?? 0, rows: claims.length }),
    );
    observer.observe(box);
    return () => observer.disconnect();
  }, [shown, key, claims.length]);
  return (
    <ul ref={element} class="chunk" aria-label={label}>
      {shown && claims.map((claim) => <li key={claim.id}>{row(claim)}</li>)}
    </ul>
  );
}
