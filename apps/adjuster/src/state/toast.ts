import { signal } from '@preact/signals';
import { ApiError, NetworkError } from '../data/api.ts';
import { texts } from './language.ts';

interface Toast {
  readonly lines: readonly string[];
  readonly kind: 'success' | 'neutral' | 'error';
  /** Results of answers are added to each other: a later one must not hide an earlier one. */
  readonly ofAnswers: boolean;
}
export const toast = signal<Toast | null>(null);

const FIRST_LINE_MS = 7000;
const NEXT_LINE_MS = 3000;
let timer: ReturnType<typeof setTimeout> | undefined;

export function showToast(text: string, kind: Toast['kind'] = 'neutral', ofAnswers = false): void {
  clearTimeout(timer);
  const before = ofAnswers && toast.value?.ofAnswers === true ? toast.value : undefined;
  const lines = [...(before?.lines ?? []), text];
  toast.value = { lines, kind: before === undefined || before.kind === kind ? kind : 'neutral', ofAnswers };
  timer = setTimeout(
    () => {
      toast.value = null;
    },
    FIRST_LINE_MS + NEXT_LINE_MS * (lines.length - 1),
  );
}

/** Shows why a request failed; an ended session shows as the sign-in screen instead. */
export function showError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) return;
  const { network } = texts.value;
  showToast(error instanceof NetworkError ? network.needed : network.failed, 'error');
}
