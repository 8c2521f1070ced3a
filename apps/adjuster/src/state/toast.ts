import { effect, signal } from '@preact/signals';
import { NetworkError, needsSignIn } from '../data/api.ts';
import { type Toast, type ToastEvent, toastAfter } from '../model/toast-state.ts';
import { currentHash } from '../navigation.ts';
import { texts } from './language.ts';

export const toast = signal<Toast | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

function update(event: ToastEvent): void {
  toast.value = toastAfter(toast.peek(), event);
  clearTimeout(timer);
  const { until } = toast.peek() ?? {};
  if (until === undefined) return;
  timer = setTimeout(() => update({ kind: 'time', now: Date.now() }), Math.max(until - Date.now(), 0) + 1);
}

effect(() => update({ kind: 'screen', screen: currentHash.value }));

/** Shows a short message on the current screen, or on the one that is opened next. */
export const showToast = (text: string, as: Toast['kind'] = 'neutral', screen = currentHash.peek()): void =>
  update({ kind: 'show', text, as, screen, now: Date.now() });

/** Shows the result of an answer, on whichever screen the adjuster is. */
export const showResult = (text: string, as: Toast['kind']): void =>
  update({ kind: 'show', text, as, screen: null, now: Date.now() });

export const closeToast = (): void => update({ kind: 'close' });

/** Shows why a request failed; an ended session and a missing passkey have screens instead. */
export function showError(error: unknown): void {
  if (needsSignIn(error)) return;
  const { network } = texts.value;
  showToast(error instanceof NetworkError ? network.needed : network.failed, 'error');
}
