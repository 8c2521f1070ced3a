/** A function returns the text in the language that is shown. */
export type Line = string | (() => string);

export interface Toast {
  readonly lines: readonly Line[];
  readonly kind: 'success' | 'neutral' | 'error';
  /** The screen it belongs to: it is not shown on another one. Null: shown on every screen (results of answers). */
  readonly screen: string | null;
  readonly expiresAt: number;
}

export type ToastEvent =
  | {
      readonly kind: 'show';
      readonly lines: readonly Line[];
      readonly toastKind: Toast['kind'];
      readonly screen: string | null;
      readonly now: number;
    }
  | { readonly kind: 'screen'; readonly screen: string }
  | { readonly kind: 'tick'; readonly now: number }
  | { readonly kind: 'close' };

const FIRST_LINE_MS = 6000;
const NEXT_LINE_MS = 3000;

export function toastReducer(toast: Toast | null, event: ToastEvent): Toast | null {
  if (event.kind === 'close') return null;
  if (event.kind === 'tick') return toast !== null && event.now < toast.expiresAt ? toast : null;
  if (event.kind === 'screen')
    return toast !== null && (toast.screen === null || toast.screen === event.screen) ? toast : null;
  const { lines, toastKind, screen } = event;
  return {
    lines,
    kind: toastKind,
    screen,
    expiresAt: event.now + FIRST_LINE_MS + NEXT_LINE_MS * (lines.length - 1),
  };
}
