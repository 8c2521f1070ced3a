import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether the window is at least this wide now. */
export function isAtLeastPx(width: number): ReadonlySignal<boolean> {
  const query = matchMedia(`(min-width: ${width}px)`);
  const matches = signal(query.matches);
  query.addEventListener('change', () => {
    matches.value = query.matches;
  });
  return matches;
}
