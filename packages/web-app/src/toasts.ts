import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { NetworkError, needsSignIn } from './api-error.ts';
import type { CommonTexts } from './texts/en.ts';
import { type Line, type Toast, type ToastEvent, toastReducer } from './toast-state.ts';

export type Toasts = ReturnType<typeof createToasts>;

export function createToasts(texts: ReadonlySignal<CommonTexts>, currentHash: ReadonlySignal<string>) {
  const toast = signal<Toast | null>(null);
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
  const showToast = (line: Line, toastKind: Toast['kind'] = 'neutral', screen = currentHash.peek()): void =>
    update({ kind: 'show', lines: [line], toastKind, screen, now: Date.now() });

  return {
    toast,
    showToast,
    /** Shows results of answers, on any screen. */
    showResults: (lines: readonly Line[], toastKind: Toast['kind']): void =>
      update({ kind: 'show', lines, toastKind, screen: null, now: Date.now() }),
    closeToast: (): void => update({ kind: 'close' }),
    /** Shows why a request failed; an expired session and a required passkey have their own screens. */
    showError(error: unknown): void {
      if (needsSignIn(error)) return;
      const isUnreachable = error instanceof NetworkError && error.reason !== 'service';
      showToast(() => texts.value.network[isUnreachable ? 'needed' : 'failed'], 'error');
    },
  };
}
