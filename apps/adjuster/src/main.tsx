import type { AppClaim } from '@svc/contract';
import type { ComponentChildren } from 'preact';
import '@svc/web-app/theme.css';
import './style.css';
import { ErrorBoundary } from '@svc/web-app/components/error-boundary';
import { lazy } from '@svc/web-app/components/lazy';
import { mount } from '@svc/web-app/components/mount';
import { ToastMessage } from '@svc/web-app/components/toast';
import {
  Button,
  hasAnswerBar,
  Icon,
  type IconName,
  SkipButton,
  TapGuard,
  useHeightVariable,
} from '@svc/web-app/components/ui';
import { isAtLeastPx } from '@svc/web-app/width';
import {
  answers,
  applyUpdate,
  clockTime,
  isStored,
  languageChoice,
  lists,
  navigation,
  now,
  registerWorker,
  reportError,
  roughDuration,
  route,
  session,
  start,
  startAgain,
  texts,
  toasts,
  updateReady,
} from './app.ts';
import { Offers, preloadAnswers } from './screens/offers.tsx';

const SignIn = lazy(async () => (await import('./screens/sign-in.tsx')).SignIn);
const Help = lazy(async () => (await import('./screens/help.tsx')).Help);
const Claims = lazy(async () => (await import('./screens/claims.tsx')).Claims);
const ClaimScreen = lazy(async () => (await import('./screens/claim.tsx')).ClaimScreen);
const Firms = lazy(async () => (await import('./screens/firms.tsx')).Firms);
const InvitationScreen = lazy(async () => (await import('./screens/invitation.tsx')).InvitationScreen);
const Settings = lazy(async () => (await import('./screens/settings.tsx')).Settings);
const Credentials = lazy(async () => (await import('./screens/credentials.tsx')).Credentials);
const OfferHistory = lazy(async () => (await import('./screens/history.tsx')).OfferHistory);
const PasskeyRequired = lazy(async () => (await import('./passkeys/screens.ts')).PasskeyRequired);
const MapScreen = lazy(async () => (await import('./map/map-screen.tsx')).MapScreen);

const Guarded = (props: { readonly children: ComponentChildren }) => (
  <ErrorBoundary otherwise={<a href="#/settings">{texts.value.nav.settings}</a>}>
    {props.children}
  </ErrorBoundary>
);

function App() {
  const me = session.profile.value;
  if (me === undefined) {
    return (
      <main class="starting">
        <p class="muted">{texts.value.loading}</p>
      </main>
    );
  }
  if (me === null || session.needsPasskey.value) {
    const Alone = me !== null ? PasskeyRequired : route.value.screen === 'help' ? Help : SignIn;
    return (
      <>
        <main>
          <Alone />
        </main>
        <Messages />
      </>
    );
  }
  return (
    <div class={hasAnswerBar.value ? 'app deciding' : 'app'}>
      <SkipButton />
      <Menu />
      <div class="body">
        <NetworkStatus />
        <Screens />
      </div>
      <Messages />
    </div>
  );
}

const isWide = isAtLeastPx(1100);

const isListed = (claims: readonly AppClaim[] | undefined, id: string): boolean =>
  claims?.some((claim) => claim.id === id) === true;

function Screens() {
  const { value } = route;
  // On wide screens the claim is shown next to its list.
  if (value.screen === 'claim' && isWide.value) {
    const isOffer = isListed(lists.offers.value, value.id);
    const isClosed = isListed(lists.closed.value, value.id);
    return (
      <main id="main" class="split">
        <div class="split-list">
          <Guarded>{isOffer ? <Offers /> : <Claims showClosed={isClosed} />}</Guarded>
        </div>
        <div class="split-claim">
          <Guarded key={value.id}>
            <ClaimScreen id={value.id} />
          </Guarded>
        </div>
      </main>
    );
  }
  return (
    <main id="main" key={JSON.stringify(value)}>
      <Guarded>
        {value.screen === 'offers' && <Offers />}
        {value.screen === 'claims' && <Claims showClosed={value.closed} />}
        {value.screen === 'claim' && <ClaimScreen id={value.id} />}
        {value.screen === 'invitation' && <InvitationScreen firmId={value.firmId} />}
        {value.screen === 'map' && <MapScreen />}
        {value.screen === 'history' && <OfferHistory />}
        {value.screen === 'firms' && <Firms />}
        {value.screen === 'settings' && <Settings />}
        {value.screen === 'credentials' && <Credentials />}
        {value.screen === 'help' && <Help />}
      </Guarded>
    </main>
  );
}

function Menu() {
  const words = texts.value.nav;
  const { value } = route;
  const { screen } = value;
  const openCount = answers.openOffers.value?.length ?? 0;
  const isOffer = value.screen === 'claim' && isListed(lists.offers.value, value.id);
  const items: readonly (readonly [string, IconName, string, boolean, number])[] = [
    [
      '#/',
      'offers',
      words.offers,
      ['offers', 'invitation', 'map', 'history'].includes(screen) || isOffer,
      openCount + lists.invitations.value.length,
    ],
    ['#/claims', 'claims', words.claims, screen === 'claims' || (screen === 'claim' && !isOffer), 0],
    ['#/firms', 'firms', words.firms, screen === 'firms', 0],
    ['#/settings', 'settings', words.settings, ['settings', 'credentials', 'help'].includes(screen), 0],
  ];
  const nav = useHeightVariable<HTMLElement>('--menu-height');
  return (
    <nav class="menu" ref={nav} aria-label={words.label}>
      {items.map(([href, icon, label, isCurrent, count]) => (
        <a key={href} href={href} {...(isCurrent && { 'aria-current': 'page' as const })}>
          <span class="menu-icon">
            <Icon name={icon} />
            {count > 0 && <span class="count">{count}</span>}
          </span>
          <span class="menu-label">{label}</span>
        </a>
      ))}
    </nav>
  );
}

/** Less is shown nowhere, and more would be a wrong time of a contact. */
const MAX_CLOCK_ERROR_MS = 5 * 60_000;

/** Shows when the app is offline or the service has a problem, and how old the lists are. */
function NetworkStatus() {
  const { network } = texts.value;
  const state = session.connection.value;
  const since = lists.readAt.value === null ? null : clockTime(lists.readAt.value);
  const aheadMs = Date.now() - now.value;
  const isAhead = aheadMs > 0;
  const clockError = Math.abs(aheadMs) < MAX_CLOCK_ERROR_MS ? null : roughDuration(Math.abs(aheadMs));
  return (
    <div
      role="status"
      class={state === 'online' && isStored.value && clockError === null ? 'network' : 'network offline'}
    >
      {state !== 'online' && (
        <>
          <Icon name="cloud" />
          <span>{network[state](since)}</span>
        </>
      )}
      {!isStored.value && <span>{texts.value.notStored.lead}</span>}
      {clockError !== null && <span>{network.clock(clockError, isAhead)}</span>}
    </div>
  );
}

/** What happened last, and what can still be undone, above the buttons at the bottom. */
const Messages = () => (
  <div class="messages" ref={useHeightVariable<HTMLDivElement>('--messages-height')}>
    <UpdateReady />
    <Undo />
    <ToastMessage />
  </div>
);

function Undo() {
  const held = answers.undoable.value;
  const [first] = held;
  const ids = held.map(({ key }) => key);
  const { claim, offers } = texts.value;
  return (
    <div role="status">
      {first !== undefined && (
        <div class="toast">
          <p>
            {held.length > 1
              ? offers.heldCount(held.length)
              : first.answer === 'accept'
                ? claim.heldAccept(first.title)
                : claim.heldReject(first.title)}
          </p>
          {/* An earlier answer takes the place of one that was taken back. */}
          <TapGuard shows={ids.join()}>
            <Button onClick={() => void answers.undo(ids)}>{claim.undo}</Button>
          </TapGuard>
        </div>
      )}
    </div>
  );
}

function UpdateReady() {
  const words = texts.value.update;
  return (
    <div role="status">
      {updateReady.value && (
        <div class="toast">
          <p>{words.ready}</p>
          <Button onClick={applyUpdate}>{words.apply}</Button>
        </div>
      )}
    </div>
  );
}

void mount(
  <Guarded>
    <App />
  </Guarded>,
  { texts, navigation, toasts, reportError, startAgain },
  languageChoice,
).then(() => {
  const started = start();
  registerWorker(started);
  // While the service is asked whether there is a session.
  if (session.profile.value === undefined) void SignIn.preload().catch(() => {});
  void started
    .then(() => Promise.all([Claims.preload(), ClaimScreen.preload(), preloadAnswers()]))
    .catch(() => {});
});
