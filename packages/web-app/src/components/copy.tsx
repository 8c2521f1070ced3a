import { useApp } from '../app-context.ts';
import { Button } from './ui.tsx';

/** `label`: says what is copied, where it is not clear. */
export function CopyButton(props: { readonly text: string; readonly label?: string }) {
  const { texts, toasts } = useApp();
  const copied = () => toasts.showToast(() => texts.value.copied, 'success');
  return (
    <Button
      kind="primary"
      aria-label={props.label}
      onClick={() => void navigator.clipboard.writeText(props.text).then(copied, toasts.showError)}
    >
      {texts.value.copy}
    </Button>
  );
}
