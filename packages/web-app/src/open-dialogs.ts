import { signal } from '@preact/signals';

interface OpenDialog {
  readonly id: string;
  /** Undefined where only a button of the dialog closes it. */
  readonly close: (() => void) | undefined;
}

/** The modal dialogs that are open, the top one last: what is outside of it can be neither read nor used. */
export const openDialogs = signal<readonly OpenDialog[]>([]);
