import { useApp } from '../app-context.ts';
import type { Toasts } from '../toasts.ts';
import { Icon } from './ui.tsx';

/** The last message, until it is closed or its time is over. */
export function ToastMessage({ toasts }: { readonly toasts: Toasts }) {
  const { close } = useApp().texts.value;
  const { value } = toasts.toast;
  return (
    <div role="status" class="toasts">
      {value !== null && (
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
