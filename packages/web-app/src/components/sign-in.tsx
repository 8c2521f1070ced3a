import './sign-in.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, NetworkError } from '../api-error.ts';
import { useApp } from '../app-context.ts';
import { browserChoices } from '../choices.ts';
import { supportsPasskeys } from '../passkey-support.ts';
import type { authenticateWithPasskey } from '../passkeys.ts';
import { useBusy } from '../use-busy.ts';
import { CodeField, Field } from './field.tsx';
import { Button, Note, ScreenHeader } from './ui.tsx';

/** The page around a form, with why it is shown. */
export function SignInPage(props: {
  readonly logo: string;
  readonly endedBecause: 'expired' | 'signed out' | null;
  readonly children: ComponentChildren;
}) {
  const words = useApp().texts.value.signIn;
  return (
    <div class="sign-in">
      <img src={props.logo} alt="" width="72" height="72" />
      <ScreenHeader title={words.title} />
      {props.endedBecause === 'expired' && <Note kind="warning">{words.expired}</Note>}
      {props.endedBecause === 'signed out' && <Note kind="success">{words.signedOut}</Note>}
      {props.children}
    </div>
  );
}

/** By page: the desk and the app may be on one host. */
const SENT_KEY = `sign-in-code ${location.pathname}`;
/** As long as a code is valid. */
const SENT_MS = 10 * 60_000;

/** The address that a code was sent to: a phone may close the page while the code is read in the mail. */
function sentTo(): string | undefined {
  const [at = '', email] = browserChoices.read(SENT_KEY)?.split(' ') ?? [];
  const isValid = Date.now() - Number(at) < SENT_MS;
  if (at !== '' && !isValid) noteSent('');
  return isValid ? email : undefined;
}
function noteSent(email: string): void {
  browserChoices.write(SENT_KEY, email === '' ? '' : `${Date.now()} ${email}`);
}

/** Signs in with a code that is emailed, or with a passkey. */
export function SignInByCode(props: {
  readonly sendCode: (email: string) => Promise<unknown>;
  readonly signIn: (
    proof: { email: string; code: string } | Awaited<ReturnType<typeof authenticateWithPasskey>>,
  ) => Promise<void>;
  readonly passkeyOptions: () => Promise<{ readonly options: object }>;
  readonly showError: (error: unknown) => void;
}) {
  const words = useApp().texts.value.signIn;
  const [step, setStep] = useState<'email' | 'code'>(() => (sentTo() === undefined ? 'email' : 'code'));
  const [email, setEmail] = useState(() => sentTo() ?? '');
  const [code, setCode] = useState('');
  const [busy, during] = useBusy();
  const [error, setError] = useState<string>();

  const whileBusy: typeof during = (work, failed) => {
    setError(undefined);
    return during(work, failed);
  };
  const showRefusal = (caught: unknown): void => {
    if (!(caught instanceof ApiError)) {
      props.showError(caught);
      return;
    }
    const { notRequested, passkeyRequired, refused } = words;
    const known: Record<string, string> = {
      code_not_requested: notRequested,
      passkey_required: passkeyRequired,
    };
    setError(known[caught.code] ?? refused);
  };
  const signIn: typeof props.signIn = async (proof) => {
    await props.signIn(proof);
    noteSent('');
  };
  const fromPasskey = async (): Promise<void> => {
    const passkeys = await import('../passkeys.ts');
    const { options } = await props.passkeyOptions();
    await signIn(await passkeys.authenticateWithPasskey(options));
  };
  const sendCode = () =>
    whileBusy(async () => {
      await props.sendCode(email.trim());
      noteSent(email.trim());
      setCode('');
      setStep('code');
    }, showRefusal);
  const submit = (event: Event) => {
    event.preventDefault();
    if (step === 'email') void sendCode();
    else void whileBusy(() => signIn({ email: email.trim(), code: code.replace(/\D/g, '') }), showRefusal);
  };
  const byPasskey = () =>
    whileBusy(fromPasskey, (caught) => {
      // Canceled on the device, or no passkey that the service accepts.
      if (caught instanceof NetworkError) props.showError(caught);
      else setError(words.passkeyRefused);
    });

  return (
    <>
      <form class="card form" onSubmit={submit}>
        {step === 'email' ? (
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
              onInput={({ currentTarget }) => setEmail(currentTarget.value)}
            />
            <Button kind="primary" type="submit" wide busy={busy}>
              {words.send}
            </Button>
          </>
        ) : (
          <>
            <p role="status">{words.sent(email.trim())}</p>
            <CodeField
              error={error}
              value={code}
              inputRef={focusOnce}
              onInput={({ currentTarget }) => setCode(currentTarget.value)}
            />
            <Button kind="primary" type="submit" wide busy={busy}>
              {words.enter}
            </Button>
            <div class="row">
              <Button kind="quiet" disabled={busy} onClick={() => void sendCode()}>
                {words.again}
              </Button>
              <Button
                kind="quiet"
                onClick={() => {
                  setError(undefined);
                  noteSent('');
                  setStep('email');
                }}
              >
                {words.otherEmail}
              </Button>
            </div>
          </>
        )}
      </form>
      {step === 'email' && supportsPasskeys() && (
        <Button kind="quiet" disabled={busy} onClick={() => void byPasskey()}>
          {words.passkey}
        </Button>
      )}
    </>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  if (input !== null && input.dataset.focused === undefined) {
    input.dataset.focused = 'yes';
    input.focus();
  }
}
