import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './style.css';
import { Icon, type IconName } from './components/ui.tsx';
import { ROOT } from './data/api.ts';
import { clockTime } from './format.ts';
import { route } from './navigation.ts';
import { ClaimScreen } from './screens/claim.tsx';
import { Claims } from './screens/claims.tsx';
import { Firms } from './screens/firms.tsx';
import { InvitationScreen } from './screens/invitation.tsx';
import { Offers } from './screens/offers.tsx';
import { Settings } from './screens/settings.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { answers } from './state/answers.ts';
import { texts } from './state/language.ts';
import { lists } from './state/lists.ts';
import { session } from './state/session.ts';
import { start } from './state/start.ts';
import { toast } from './state/toast.ts';

function App() {
  const words = texts.value;
  const me = session.profile.value;
  if (me === undefined) {
    return (
      <main class="starting">
        <p class="muted">{words.loading}</p>
      </main>
    );
  }
  if (me === null) {
    return (
      <>
        <main>
          <SignIn />
        </main>
        <ToastRegion />
      </>
    );
  }
  return (
    <div class="app">
      <button type="button" class="skip" onClick={skip}>
        {words.skip}
      </button>
      <Menu />
      <div class="body">
        <NetworkStatus />
        <Screens />
      </div>
      <ToastRegion />
    </div>
  );
}

/** Not a link, because the hash is used for routes. */
function skip(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}

function Screens() {
  const { value } = route;
  const wide = useWide();
  // On wide screens the claim is shown next to its list.
  if (value.screen === 'claim' && wide) {
    const ofClosed = lists.closed.value?.some(({ id }) => id === value.id) === true;
    const ofOffers = lists.offers.value?.some(({ id }) => id === value.id) === true;
    return (
      <main id="main" class="split">
        <div class="split-list">{ofOffers ? <Offers /> : <Claims showClosed={ofClosed} />}</div>
        <div class="split-claim">
          <ClaimScreen key={value.id} id={value.id} />
        </div>
      </main>
    );
  }
  return (
    <main id="main" key={JSON.stringify(value)}>
      {value.screen === 'offers' && <Offers />}
      {value.screen === 'claims' && <Claims showClosed={value.closed} />}
      {value.screen === 'claim' && <ClaimScreen id={value.id} />}
      {value.screen === 'invitation' && <InvitationScreen firmId={value.firmId} />}
      {value.screen === 'firms' && <Firms />}
      {value.screen === 'settings' && <Settings />}
    </main>
  );
}

const WIDE = '(min-width: 1100px)';

function useWide(): boolean {
  const wide = useSignal(matchMedia(WIDE).matches);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const update = () => {
      wide.value = query.matches;
    };
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, [wide]);
  return wide.value;
}

function Menu() {
  const words = texts.value.nav;
  const { screen } = route.value;
  const answered = new Set(answers.queued.value.map(({ claimId }) => claimId));
  const open = lists.offers.value?.filter(({ id }) => !answered.has(id)).length ?? 0;
  const ofOffer =
    route.value.screen === 'claim' &&
    lists.offers.value?.some(({ id }) => route.value.screen === 'claim' && id === route.value.id) === true;
  const items: readonly (readonly [string, IconName, string, boolean, number])[] = [
    [
      '#/',
      'offers',
      words.offers,
      screen === 'offers' || screen === 'invitation' || ofOffer,
      open + lists.invitations.value.length,
    ],
    ['#/claims', 'claims', words.claims, screen === 'claims' || (screen === 'claim' && !ofOffer), 0],
    ['#/firms', 'firms', words.firms, screen === 'firms', 0],
    ['#/settings', 'settings', words.settings, screen === 'settings', 0],
  ];
  const nav = useRef<HTMLElement>(null);
  // In large text the labels take several lines; what is pinned above the menu needs its real height.
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      document.documentElement.style.setProperty('--menu-height', `${height}px`);
    });
    if (nav.current !== null) observer.observe(nav.current);
    return () => observer.disconnect();
  }, []);
  return (
    <nav class="menu" ref={nav} aria-label={words.label}>
      {items.map(([href, icon, label, here, count]) => (
        <a key={href} href={href} {...(here && { 'aria-current': 'page' as const })}>
          <span class="menu-icon">
            <Icon name={icon} />
            {count > 0 && <span class="count">{count}</span>}
          </span>
          <span>{label}</span>
        </a>
      ))}
    </nav>
  );
}

/** Shows when the app is offline and how old its data is. */
function NetworkStatus() {
  const { network } = texts.value;
  return (
    <div role="status" class={session.reachable.value ? 'network' : 'network offline'}>
      {!session.reachable.value && (
        <>
          <Icon name="cloud" />
          <span>{network.offline(lists.readAt.value === null ? null : clockTime(lists.readAt.value))}</span>
        </>
      )}
    </div>
  );
}

const ToastRegion = () => (
  <div role="status" class="toasts">
    {toast.value !== null && (
      <div class={`toast ${toast.value.kind}`}>
        {toast.value.lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    )}
  </div>
);

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void start();

if ('serviceWorker' in navigator) {
  void navigator.serviceWorker.register(`${ROOT}sw.js`, { scope: ROOT.slice(0, -1) }).catch(() => {});
}
