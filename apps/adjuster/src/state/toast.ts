import { effect, signal } from '@preact/signals';
import { NetworkError, needsSignIn } from '../data/api.ts';
import { type Toast, type ToastEvent, toastReducer } from '../model/toast-state.ts';
import { currentHash } from '../navigation.ts';
import { texts } from './language.ts';

export const toast = signal<Toast | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

function update(event: ToastEvent): void {
  toast.value = toastReducer(toast.peek(), event);
  clearTimeout(timer);
  const { expiresAt } = toast.peek() ?? {};
  if (expiresAt === undefined) return;
  timer = setTimeout(
    () => update({ kind: 'tick', now: Date.now() }),
    Math.max(expiresAt - Date.now(), 0) + 1,
  );
}

effect(() => update({ kind: 'screen', screen: currentHash.value }));

/** Shows a short message on the current screen, or on the given screen. */
export const showToast = (
  text: string,
  toastKind: Toast['kind'] = 'neutral',
  screen = currentHash.peek(),
): void => update({ kind: 'show', lines: [text], toastKind, screen, now: Date.now() });

/** Shows results of answers, on any screen. */
export const showResults = (lines: readonly string[], toastKind: Toast['kind']): void =>
  update({ kind: 'show', lines, toastKind, screen: null, now: Date.now() });

export const closeToast = (): void => update({ kind: 'close' });

/** Shows why a request failed; an expired session and a required passkey have their own screens. */
export function showError(error: unknown): void {
  if (needsSignIn(error)) return;
  const { network } = texts.value;
  const isUnreachable = error instanceof NetworkError && error.reason !== 'service';
  showToast(isUnreachable ? network.needed : network.failed, 'error');
}
