import './sign-in.css';
import { useState } from 'preact/hooks';
import { call, request, session, showError, signIn, supportsPasskeys, texts } from '../app.ts';
import { Button, CodeField, Field, Note, ScreenHeader } from '../components/ui.tsx';
import { ROOT } from '../data/root.ts';
import { ApiError, NetworkError } from '../model/api-error.ts';

const value = (event: Event): string => (event.currentTarget as HTMLInputElement).value;

export function SignIn() {
  const words = texts.value.signIn;
  const [step, setStep] = useState<'email' | 'code' | 'test'>('email');
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [svcId, setSvcId] = useState('');
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const whileBusy = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (caught) {
      if (caught instanceof ApiError && caught.status < 500) {
        setError(
          step === 'test'
            ? words.testRefused
            : caught.code === 'code_not_requested'
              ? words.notRequested
              : caught.code === 'passkey_required'
                ? words.passkeyRequired
                : words.refused,
        );
      } else showError(caught);
    } finally {
      setBusy(false);
    }
  };
  const sendCode = () =>
    whileBusy(async () => {
      await request(() => call('sendSignInCode', { body: { email: email.trim() } }));
      setCode('');
      setStep('code');
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (step === 'email') void sendCode();
    else if (step === 'code')
      void whileBusy(() => signIn({ email: email.trim(), code: code.replace(/\D/g, '') }));
    else void whileBusy(() => signIn({ svc_id: svcId.trim(), sign_in_secret: secret.trim() }));
  };
  const byPasskey = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { authenticateWithPasskey } = await import('../passkeys/ceremonies.ts');
      await signIn(await authenticateWithPasskey());
    } catch (caught) {
      // Canceled on the device, or no passkey that the service accepts.
      if (caught instanceof NetworkError) showError(caught);
      else setError(words.passkeyRefused);
    } finally {
      setBusy(false);
    }
  };
  const showStep = (next: typeof step) => () => {
    setError(undefined);
    setStep(next);
  };

  return (
    <div class="sign-in">
      <img src={`${ROOT}icon.svg`} alt="" width="72" height="72" />
      <ScreenHeader title={words.title} />
      {session.endedBecause.value === 'expired' && <Note kind="warning">{words.expired}</Note>}
      {session.endedBecause.value === 'signed out' && <Note kind="success">{words.signedOut}</Note>}
      <form class="card form" onSubmit={submit}>
        {step === 'email' && (
          <>
            <p>{words.lead}</p>
            <Field
              label={words.email}
              type="email"
              name="email"
              autocomplete="email"
              inputMode="email"
              required
              error={error}
              value={email}
              onInput={(event) => setEmail(value(event))}
            />
            <Button kind="primary" type="submit" wide busy={busy}>
              {words.send}
            </Button>
          </>
        )}
        {step === 'code' && (
          <>
            <p role="status">{words.sent(email.trim())}</p>
            <CodeField
              error={error}
              value={code}
              inputRef={focusOnce}
              onInput={(event) => setCode(value(event))}
            />
            <Button kind="primary" type="submit" wide busy={busy}>
              {words.enter}
            </Button>
            <div class="row">
              <Button kind="quiet" disabled={busy} onClick={() => void sendCode()}>
                {words.again}
              </Button>
              <Button kind="quiet" onClick={showStep('email')}>
                {words.otherEmail}
              </Button>
            </div>
          </>
        )}
        {step === 'test' && (
          <>
            <Field
              label={words.svcId}
              name="svc-id"
              autocomplete="username"
              autocapitalize="off"
              spellcheck={false}
              required
              value={svcId}
              onInput={(event) => setSvcId(value(event))}
            />
            <Field
              label={words.secret}
              name="secret"
              type="password"
              autocomplete="current-password"
              required
              error={error}
              value={secret}
              onInput={(event) => setSecret(value(event))}
            />
            <Button kind="primary" type="submit" wide busy={busy}>
              {words.enter}
            </Button>
          </>
        )}
      </form>
      {step === 'email' && supportsPasskeys() && (
        <Button kind="quiet" disabled={busy} onClick={() => void byPasskey()}>
          {words.passkey}
        </Button>
      )}
      {step === 'test' ? (
        <Button kind="quiet" onClick={showStep('email')}>
          {words.byEmail}
        </Button>
      ) : (
        <details>
          <summary>{words.other}</summary>
          <Button kind="quiet" onClick={showStep('test')}>
            {words.test}
          </Button>
          <a class="button quiet" href="#/help">
            {words.help}
          </a>
        </details>
      )}
    </div>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  if (input !== null && input.dataset.focused === undefined) {
    input.dataset.focused = 'yes';
    input.focus();
  }
}
