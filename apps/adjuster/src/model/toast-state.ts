export interface Toast {
  readonly lines: readonly string[];
  readonly kind: 'success' | 'neutral' | 'error';
  /** The screen it belongs to: it is not shown on another one. Null for results of answers, which belong to none. */
  readonly screen: string | null;
  readonly until: number;
}

export type ToastEvent =
  | {
      readonly kind: 'show';
      readonly text: string;
      readonly as: Toast['kind'];
      readonly screen: string | null;
      readonly now: number;
    }
  | { readonly kind: 'screen'; readonly screen: string }
  | { readonly kind: 'time'; readonly now: number }
  | { readonly kind: 'close' };

const FIRST_LINE_MS = 6000;
const NEXT_LINE_MS = 3000;

/** Results of answers are added to each other, since a later one must not hide an earlier one. */
export function toastAfter(toast: Toast | null, event: ToastEvent): Toast | null {
  if (event.kind === 'close') return null;
  if (event.kind === 'time') return toast !== null && event.now < toast.until ? toast : null;
  if (event.kind === 'screen')
    return toast !== null && (toast.screen === null || toast.screen === event.screen) ? toast : null;
  const before = event.screen === null && toast?.screen === null ? toast : null;
  const lines = [...(before?.lines ?? []), event.text];
  return {
    lines,
    kind: before === null || before.kind === event.as ? event.as : 'neutral',
    screen: event.screen,
    until: event.now + FIRST_LINE_MS + NEXT_LINE_MS * (lines.length - 1),
  };
}
