import { Button } from '@svc/web-app/components/ui';
import { showError, showToast, texts } from '../app.ts';

const copy = (text: string): Promise<void> =>
  navigator.clipboard.writeText(text).then(() => showToast(() => texts.value.copied, 'success'), showError);

export const CopyButton = (props: { readonly text: string; readonly label?: string }) => (
  <Button kind="primary" aria-label={props.label} onClick={() => void copy(props.text)}>
    {texts.value.copy}
  </Button>
);
