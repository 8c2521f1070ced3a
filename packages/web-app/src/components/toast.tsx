import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { openDialogs } from '../open-dialogs.ts';
import { Icon } from './ui.tsx';

/** The last message, until it is closed or its time is over: in the dialog that was on top, or else on the page. */
export function ToastMessage({ dialog }: { readonly dialog?: string }) {
  const { texts, toasts } = useApp();
  const { close } = texts.value;
  const { value } = toasts.toast;
  // A message from before the dialog is not about it.
  const [earlier] = useState(() => (dialog === undefined ? null : toasts.toast.peek()));
  return (
    <div role={dialog === undefined ? 'status' : 'alert'} class="toasts">
      {value !== null && value !== earlier && openDialogs.value.at(-1)?.id === dialog && (
        <div class={`toast ${value.kind}`}>
          <div>
            {value.lines
              .map((line) => (typeof line === 'string' ? line : line()))
              .map((text) => (
                <p key={text}>{text}</p>
              ))}
          </div>
          <button type="button" class="toast-close" aria-label={close} onClick={toasts.closeToast}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
