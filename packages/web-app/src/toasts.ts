import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { NetworkError, needsSignIn } from './api-error.ts';
import type { CommonTexts } from './texts/en.ts';

/** A function returns the text in the language that is shown. */
export type Line = string | (() => string);

interface Toast {
  readonly lines: readonly Line[];
  readonly kind: 'success' | 'neutral' | 'error';
  /** The screen it belongs to: it is not shown on another one. Null: shown on every screen (results of answers). */
  readonly screen: string | null;
}

const FIRST_LINE_MS = 6000;
const NEXT_LINE_MS = 3000;

export type Toasts = ReturnType<typeof createToasts>;

export function createToasts(texts: ReadonlySignal<CommonTexts>, currentHash: ReadonlySignal<string>) {
  const toast = signal<Toast | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const closeToast = (): void => {
    toast.value = null;
  };

  function show(shown: Toast): void {
    toast.value = shown;
    clearTimeout(timer);
    timer = setTimeout(closeToast, FIRST_LINE_MS + NEXT_LINE_MS * (shown.lines.length - 1));
  }

  effect(() => {
    const { value: hash } = currentHash;
    const { screen = null } = toast.peek() ?? {};
    if (screen !== null && screen !== hash) closeToast();
  });

  /** Shows a short message on the current screen, or on the given screen. */
  const showToast = (line: Line, kind: Toast['kind'] = 'neutral', screen = currentHash.peek()): void =>
    show({ lines: [line], kind, screen });

  return {
    toast,
    showToast,
    /** Shows results of answers, on any screen. */
    showResults: (lines: readonly Line[], kind: Toast['kind']): void => show({ lines, kind, screen: null }),
    closeToast,
    /** Shows why a request failed; an expired session and a required passkey have their own screens. */
    showError(error: unknown): void {
      if (needsSignIn(error)) return;
      const isUnreachable = error instanceof NetworkError && error.reason !== 'service';
      showToast(() => texts.value.network[isUnreachable ? 'needed' : 'failed'], 'error');
    },
  };
}
