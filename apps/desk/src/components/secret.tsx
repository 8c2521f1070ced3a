import { CopyButton } from '@svc/web-app/components/copy';
import { Dialog } from '@svc/web-app/components/dialog';
import { Button, Note } from '@svc/web-app/components/ui';
import { can, desk, go, texts } from '../app.ts';

/** Shown once: the service keeps only a hash of it. */
export function Secret({ title, text }: { readonly title: string; readonly text: string }) {
  const words = texts.value.keys;
  const close = (): void => {
    desk.secret.value = undefined;
  };
  const use = (): void => {
    desk.sandbox.key.value = text;
    close();
    go('#/sandbox');
  };
  return (
    <Dialog title={title}>
      <Note kind="warning">{words.once}</Note>
      <p>
        <code class="secret">{text}</code>
      </p>
      <div class="row">
        <CopyButton text={text} />
        {text.startsWith('svc_test_') && can('sandbox:write') && (
          <Button onClick={use}>{texts.value.sandbox.use}</Button>
        )}
        <Button onClick={close}>{words.copied}</Button>
      </div>
    </Dialog>
  );
}
