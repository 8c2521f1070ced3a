import { ApiError } from '@svc/web-app/api-error';
import { CodeField } from '@svc/web-app/components/field';
import { Button } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useState } from 'preact/hooks';
import { allTexts } from '../all-texts.ts';
import { call, lists, request, showError, showToast } from '../app.ts';

/** Asks for the code that was emailed to a new address; until then the account keeps the old one. */
export function ConfirmEmail({ email, done }: { readonly email: string; readonly done: () => void }) {
  const words = allTexts.value;
  const [code, setCode] = useState('');
  const [busy, during] = useBusy();
  const [error, setError] = useState<string>();
  const send = (work: () => Promise<unknown>): void => {
    setError(undefined);
    void during(
      () => request(work),
      (caught) => {
        if (caught instanceof ApiError && caught.fields.includes('code')) setError(words.signIn.refused);
        else showError(caught);
      },
    );
  };
  const confirm = async (): Promise<void> => {
    await call('confirmEmail', { body: { code: code.replace(/\D/g, '') } });
    await lists.refresh();
    showToast(words.saved, 'success');
    done();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    send(confirm);
  };
  return (
    <form class="form" onSubmit={submit}>
      <p role="status">{allTexts.value.account.codeSent(email)}</p>
      <CodeField error={error} value={code} onInput={(event) => setCode(event.currentTarget.value)} />
      <div class="row">
        <Button kind="primary" type="submit" busy={busy}>
          {allTexts.value.account.confirm}
        </Button>
        <Button busy={busy} onClick={() => send(() => call('updateProfile', { body: { email } }))}>
          {words.signIn.again}
        </Button>
        <Button kind="quiet" onClick={done}>
          {words.cancel}
        </Button>
      </div>
    </form>
  );
}
