import { ApiError } from '@svc/web-app/api-error';
import { Field } from '@svc/web-app/components/field';
import { SignInByCode, SignInPage } from '@svc/web-app/components/sign-in';
import { Button } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import { useState } from 'preact/hooks';
import { call, request, session, showError, signIn, texts } from '../app.ts';
import { ROOT } from '../data/root.ts';

export function SignIn() {
  const words = texts.value.signIn;
  const [isTest, setIsTest] = useState(false);
  return (
    <SignInPage logo={`${ROOT}icon.svg`} endedBecause={session.endedBecause.value}>
      {isTest ? (
        <>
          <TestAccount />
          <Button kind="quiet" onClick={() => setIsTest(false)}>
            {words.byEmail}
          </Button>
        </>
      ) : (
        <>
          <SignInByCode
            sendCode={(email) => request(() => call('sendSignInCode', { body: { email } }))}
            passkeyOptions={() => request(() => call('startPasskeySignIn'))}
            {...{ signIn, showError }}
          />
          <details>
            <summary>{words.other}</summary>
            <Button kind="quiet" onClick={() => setIsTest(true)}>
              {words.test}
            </Button>
            <a class="button quiet" href="#/help">
              {words.help}
            </a>
          </details>
        </>
      )}
    </SignInPage>
  );
}

function TestAccount() {
  const words = texts.value.signIn;
  const [busy, during] = useBusy();
  const [error, setError] = useState<string>();
  const submit = (event: Event): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const value = (name: string): string => String(data.get(name)).trim();
    setError(undefined);
    void during(
      () => signIn({ svc_id: value('svc-id'), sign_in_secret: value('secret') }),
      (caught) => {
        if (caught instanceof ApiError && caught.status < 500) setError(words.testRefused);
        else showError(caught);
      },
    );
  };
  return (
    <form class="card form" onSubmit={submit}>
      <Field
        label={words.svcId}
        name="svc-id"
        autocomplete="username"
        autocapitalize="off"
        spellcheck={false}
        required
      />
      <Field
        label={words.secret}
        name="secret"
        type="password"
        autocomplete="current-password"
        required
        error={error}
      />
      <Button kind="primary" type="submit" wide busy={busy}>
        {words.enter}
      </Button>
    </form>
  );
}
