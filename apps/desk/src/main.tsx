import type { FirmChoice } from '@svc/contract';
import { ApiError } from '@svc/web-app/api-error';
import { ErrorBoundary } from '@svc/web-app/components/error-boundary';
import { lazy } from '@svc/web-app/components/lazy';
import { mount } from '@svc/web-app/components/mount';
import { Select } from '@svc/web-app/components/select';
import { SignInByCode, SignInPage } from '@svc/web-app/components/sign-in';
import { ToastMessage } from '@svc/web-app/components/toast';
import { Button, Note, ScreenHeader, SkipButton, useHeightVariable } from '@svc/web-app/components/ui';
import { useBusy } from '@svc/web-app/use-busy';
import '@svc/web-app/theme.css';
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import './style.css';
import {
  call,
  can,
  desk,
  environment,
  isWide,
  navigation,
  reportError,
  request,
  route,
  session,
  showError,
  showToast,
  texts,
} from './app.ts';
import { Secret } from './components/secret.tsx';
import type { Environment } from './endpoints.ts';
import { isTyping } from './is-typing.ts';
import { SCREENS, type Screen } from './navigation.ts';
import { ROOT } from './root.ts';
import { Board } from './screens/board.tsx';

const ClaimScreen = lazy(async () => (await import('./screens/claim.tsx')).ClaimScreen);
const Help = lazy(async () => (await import('./components/help.tsx')).Help);
const PasskeyRequired = lazy(async () => (await import('./screens/passkeys.ts')).PasskeyRequired);
const COMPONENTS: Readonly<Record<Screen, ComponentType<object>>> = {
  board: Board,
  adjusters: lazy(async () => (await import('./screens/adjusters.tsx')).Adjusters),
  map: lazy(async () => (await import('./screens/map.tsx')).ClaimMap),
  upload: lazy(async () => (await import('./screens/upload.tsx')).UploadScreen),
  reports: lazy(async () => (await import('./screens/reports.tsx')).Reports),
  keys: lazy(async () => (await import('./screens/keys.tsx')).Keys),
  requests: lazy(async () => (await import('./screens/requests.tsx')).Requests),
  sandbox: lazy(async () => (await import('./screens/sandbox.tsx')).Sandbox),
  webhooks: lazy(async () => (await import('./screens/webhooks.tsx')).Webhooks),
  readiness: lazy(async () => (await import('./screens/readiness.tsx')).ReadinessScreen),
  audit: lazy(async () => (await import('./screens/audit.tsx')).Audit),
  people: lazy(async () => (await import('./screens/people.tsx')).People),
  settings: lazy(async () => (await import('./screens/settings.tsx')).Settings),
};

const permitted = (): Screen[] =>
  (Object.keys(SCREENS) as Screen[]).filter((screen) => {
    const { [screen]: needs } = SCREENS;
    return needs === null || can(needs);
  });

/** The claim, the screen of the address, or the first one of the menu; undefined: it is not permitted. */
function shownScreen(): Screen | 'claim' | undefined {
  const { screen } = route.value;
  if (screen === 'claim' && can('claims:read')) return screen;
  const screens = permitted();
  return screens.find((one) => one === screen) ?? (screen === 'board' ? screens[0] : undefined);
}

/** The screen whose help is open. */
const helpOf = signal<ReturnType<typeof shownScreen>>(undefined);

function SignIn() {
  const [choice, setChoice] = useState<FirmChoice>();
  return (
    <SignInPage logo={`${ROOT}icon.svg`} endedBecause={session.endedBecause.value}>
      {choice === undefined ? (
        <SignInByCode
          sendCode={(email) => request(() => call('sendSignInCode', { body: { email } }))}
          passkeyOptions={() => request(() => call('startPasskeySignIn'))}
          signIn={async (proof) => setChoice(await desk.signIn(proof))}
          showError={showError}
        />
      ) : (
        <ChooseFirm {...choice} failed={() => setChoice(undefined)} />
      )}
    </SignInPage>
  );
}

/** Of a person of several firms, who has entered a code. */
function ChooseFirm({ firms, ticket, failed }: FirmChoice & { readonly failed: () => void }) {
  const [busy, during] = useBusy();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const refused = (error: unknown): void => {
    if (error instanceof ApiError && error.code === 'invalid_sign_in') {
      // The ticket works once: only another code helps.
      showToast(() => texts.value.refusals.invalid_sign_in ?? '', 'error');
      failed();
    } else showError(error);
  };
  const choose = (firm_id: string): Promise<void> => during(() => desk.signIn({ ticket, firm_id }), refused);
  return (
    <div class="card form">
      <h2 ref={heading} tabIndex={-1}>
        {texts.value.chooseFirm}
      </h2>
      {firms.map(({ id, name }) => (
        <Button key={id} wide busy={busy} onClick={() => void choose(id)}>
          {name}
        </Button>
      ))}
    </div>
  );
}

function App() {
  const me = session.profile.value;
  if (me === undefined)
    return (
      <main class="starting">
        {desk.startFailed.value ? (
          <>
            <h1>{texts.value.app}</h1>
            <p role="alert">{texts.value.network.needed}</p>
            <Button onClick={() => void desk.enter()}>{texts.value.network.tryAgain}</Button>
          </>
        ) : (
          <p class="muted">{texts.value.loading}</p>
        )}
      </main>
    );
  const Alone = me === null ? SignIn : session.needsPasskey.value ? PasskeyRequired : undefined;
  return (
    <>
      {Alone !== undefined ? (
        <main>
          <Alone />
        </main>
      ) : (
        <div class="desk">
          <SkipButton />
          <Header />
          <div class="body">
            <Status />
            {helpOf.value !== undefined && (
              <Help
                screen={helpOf.value}
                close={() => {
                  helpOf.value = undefined;
                }}
              />
            )}
            <Screens />
            {desk.secret.value !== undefined && <Secret {...desk.secret.value} />}
          </div>
        </div>
      )}
      <div key="messages" class="messages" ref={useHeightVariable<HTMLDivElement>('--messages-height')}>
        <ToastMessage />
      </div>
    </>
  );
}

/** The firm, the menu, and which data is shown. */
function Header() {
  const words = texts.value;
  const me = session.profile.value;
  const [open, setOpen] = useState(false);
  const current = route.value.screen === 'claim' ? 'board' : route.value.screen;
  useEffect(() => setOpen(false), [navigation.currentHash.value]);
  const choose = (chosen: Environment): void => {
    // The open claim is of the other environment.
    if (chosen !== environment.value && route.value.screen === 'claim') navigation.go('#/');
    desk.chooseEnvironment(chosen);
  };
  return (
    <header class="top">
      <div class="row spread">
        {me != null && me.firms.length > 1 ? (
          <Select
            label={words.firm}
            options={me.firms.map(({ id }) => id)}
            value={me.firm.id}
            name={(id) => me.firms.find((firm) => firm.id === id)?.name ?? id}
            choose={(id) => desk.changeFirm(id).catch(showError)}
          />
        ) : (
          <strong class="firm">{me?.firm.name}</strong>
        )}
        <span class="row">
          <HelpButton />
          {!isWide.value && (
            <button type="button" class="button" aria-expanded={open} onClick={() => setOpen(!open)}>
              {words.nav.menu}
            </button>
          )}
        </span>
      </div>
      <RunningUpload />
      {(isWide.value || open) && (
        <nav aria-label={words.nav.label} class="menu">
          {permitted().map((screen) => (
            <a
              key={screen}
              href={screen === 'board' ? '#/' : `#/${screen}`}
              {...(screen === current && { 'aria-current': 'page' as const })}
            >
              {words.nav[screen]}
            </a>
          ))}
        </nav>
      )}
      {(isWide.value || open) && (
        <fieldset class="chips">
          <legend>{words.environment.label}</legend>
          {(['live', 'test'] as const).map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={environment.value === one}
              onClick={() => choose(one)}
            >
              {words.environment[one]}
            </button>
          ))}
        </fieldset>
      )}
      {isWide.value && (
        <p class="muted who">
          {me?.staff.name}
          <br />
          {words.roles[me?.staff.role ?? ''] ?? me?.staff.role}
        </p>
      )}
    </header>
  );
}

/** Shows what the screen is for, above it; also with the key `?`. */
function HelpButton() {
  const screen = shownScreen();
  const toggle = (): void => {
    helpOf.value = helpOf.value === undefined ? screen : undefined;
  };
  useLayoutEffect(() => {
    helpOf.value = undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isTyping(event)) toggle();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [screen]);
  return (
    <button
      type="button"
      class="button"
      aria-expanded={helpOf.value !== undefined}
      aria-keyshortcuts="?"
      onClick={toggle}
    >
      {texts.value.nav.help}
    </button>
  );
}

/** A file that is being sent, or was not sent to its end, while another screen is shown. */
function RunningUpload() {
  const words = texts.value.upload;
  const { value: uploads } = desk.uploads;
  const kind = uploads?.upload.value?.kind;
  if (route.value.screen === 'upload' || (kind !== 'sending' && kind !== 'stopped')) return null;
  const { done = 0, total = 0 } = uploads?.progress.value ?? {};
  return (
    <a class="pill warning" href="#/upload">
      {words.states[kind]}: {words.rows(done, total)}
    </a>
  );
}

/** What is not as usual: no network, or test data. */
const Status = () => {
  const state = session.connection.value;
  const words = texts.value;
  return (
    <div role="status" class={state === 'online' ? 'network' : 'network offline'}>
      {state !== 'online' && <span>{state === 'problem' ? words.problem : words.offline}</span>}
      {state === 'online' && environment.value === 'test' && <Note kind="warning">{words.testNote}</Note>}
    </div>
  );
};

const NotPermitted = () => (
  <>
    <ScreenHeader title={texts.value.app} />
    <Note kind="warning">{texts.value.refusals.insufficient_scope}</Note>
  </>
);

function Screens() {
  const { value } = route;
  const screen = shownScreen();
  if (screen === 'claim' && value.screen === 'claim') {
    // On wide screens the claim is shown next to the board.
    return (
      <main class={isWide.value ? 'split' : 'one'}>
        {isWide.value && (
          <div class="split-list">
            <ErrorBoundary>
              <Board />
            </ErrorBoundary>
          </div>
        )}
        <div class="split-claim">
          <ErrorBoundary key={value.id}>
            <ClaimScreen id={value.id} />
          </ErrorBoundary>
        </div>
      </main>
    );
  }
  const Component = screen === undefined || screen === 'claim' ? NotPermitted : COMPONENTS[screen];
  return (
    <main key={`${screen} ${environment.value} ${value.id ?? ''}`}>
      <ErrorBoundary>
        <Component />
      </ErrorBoundary>
    </main>
  );
}

const startAgain = async (): Promise<void> => location.reload();
void mount(
  <ErrorBoundary>
    <App />
  </ErrorBoundary>,
  { texts, navigation, toasts: desk.toasts, reportError, startAgain },
  desk.language,
).then(desk.start);
