import { computed, effect, signal } from '@preact/signals';
import type { FirmChoice } from '@svc/contract';
import { readPages } from '@svc/web-app/api';
import { ApiError, isRefusal, NetworkError } from '@svc/web-app/api-error';
import { createChoice } from '@svc/web-app/choice';
import type { KeyValue } from '@svc/web-app/choices';
import type { EventHandlers, EventStream } from '@svc/web-app/event-stream';
import { createFormat } from '@svc/web-app/format';
import { createLanguage } from '@svc/web-app/language';
import { createPagedList } from '@svc/web-app/paged-list';
import { createSession } from '@svc/web-app/session';
import type { Language } from '@svc/web-app/texts/languages';
import { createToasts } from '@svc/web-app/toasts';
import type { Api, BoardAdjuster, Environment, OwnStaff, Permission, SignInProof } from './endpoints.ts';
import type { Navigation } from './navigation.ts';
import { type BoardDraft, createBoard } from './state/board.ts';
import type { createInvitations, Invitations } from './state/invitations.ts';
import { createLive } from './state/live.ts';
import { type Act, CANDIDATE_ORDERS, createOffers, type OfferDraft, outcomeOf } from './state/offers.ts';
import type { createUpload, Uploads } from './state/upload.ts';
import { en, type Texts } from './texts/en.ts';

export const SCHEMES = ['device', 'light', 'dark'] as const;
const POLL_MS = 30_000;
/** A page of the service has at most this many adjusters. */
const ADJUSTERS_PER_PAGE = 200;

const DRAFT_KEY = 'desk-draft';

/** What a person has typed, selected and not yet offered. */
interface Draft {
  /** Only this person gets it back. */
  readonly owner: string;
  readonly environment: Environment;
  readonly board: BoardDraft;
  readonly offer?: OfferDraft | undefined;
  /** The list of adjusters to invite. */
  readonly invitations?: string;
  readonly clocks?: TypedClocks | undefined;
}

/** Rules that are not saved. */
interface TypedClocks {
  /** The version that they were made from. */
  readonly basedOn: string;
  readonly rules: readonly Readonly<Record<string, string>>[];
}

const ownerOf = ({ firm, staff }: OwnStaff): string => `${firm.id} ${staff.id}`;

/** What the desk uses of the browser and the service. */
export interface DeskDeps {
  readonly api: Api;
  readonly choices: KeyValue;
  /** For what a reload of the page keeps. */
  readonly drafts: KeyValue;
  readonly deviceLanguage: () => Language;
  readonly navigation: Navigation;
  readonly openEvents: (handlers: EventHandlers) => EventStream;
  readonly page: {
    isVisible(): boolean;
    onVisibility(listener: () => void): void;
  };
  readonly random: () => number;
  /** For other tabs of the browser, which have the same session. */
  readonly onFirmChanged: () => void;
}

/** The desk without its screens. Each call creates one that shares nothing with others. */
export function createDesk(deps: DeskDeps) {
  const { api, navigation, page } = deps;
  const now = signal(api.now());
  const language = createLanguage<Texts>({
    ...deps,
    others: { es: async () => (await import('./texts/es.ts')).es },
  });
  const texts = computed<Texts>(() => language.loadedTexts.value ?? en);
  const format = createFormat(texts, language.language, now);
  const scheme = createChoice(deps.choices, 'desk-scheme', SCHEMES);
  const toasts = createToasts(texts, navigation.currentHash);
  const session = createSession<OwnStaff>(() => close());
  const { request } = session;
  /** Staff work with live and with test data, one at a time. */
  const environment = signal<Environment>('live');
  /** Shows a refusal of the service in words, and other failures as everywhere. */
  function showError(error: unknown): void {
    if (isRefusal(error)) {
      const reason = error.code === 'validation_failed' ? error.reason : '';
      const text = (): string => texts.value.refusals[error.code] ?? error.code;
      toasts.showToast(() => `${text()} ${texts.value.ofService(reason)}`.trim(), 'error');
    } else toasts.showError(error);
  }
  /** For what is read again by itself: the page says that there is no connection. */
  const showRefusal = (error: unknown): void => {
    if (!(error instanceof NetworkError)) showError(error);
  };
  const shared = { call: api.call, request, environment, onError: showError };
  let hash = navigation.currentHash.value;
  const board = createBoard({ ...shared, canOffer: () => can('claims:write'), hash, onError: showRefusal });
  /** The address of the board, or of a claim beside it, keeps the filters when the page is loaded again. */
  effect(() => {
    const { value: next } = navigation.currentHash;
    if (!['board', 'claim'].includes(navigation.route.value.screen)) return;
    if (next !== hash && next.includes('?')) board.open(next);
    hash = board.withFilters(next);
    if (hash !== next) navigation.replaceScreen(hash);
  });
  const adjusters = createPagedList<BoardAdjuster>({
    async read(cursor) {
      const query = { environment: environment.value, limit: ADJUSTERS_PER_PAGE, cursor };
      const page = await request(() => api.call('listBoardAdjusters', { query }));
      // The service lists test accounts beside real ones, too.
      return { ...page, data: page.data.filter(({ test }) => test === (query.environment === 'test')) };
    },
    idOf: ({ svc_id }) => svc_id,
    enough: ADJUSTERS_PER_PAGE,
    onError: showError,
  });
  /** What is known is shown until it was read again, and when it cannot be. */
  const readAdjusters = (): Promise<void> =>
    adjusters.rows.value === undefined ? adjusters.restart() : adjusters.refresh();
  const readReceipt = async (id: string): Promise<string> =>
    (await request(() => api.call('getBoardReceipt', { params: { id } }))).receipt;
  /** The adjusters by SVCID, with what is to know about the claim. */
  async function readCandidates({ id, test }: { readonly id: string; readonly test: boolean }) {
    const query = { environment: test ? 'test' : 'live', limit: ADJUSTERS_PER_PAGE, for_claim: id } as const;
    const { items } = await readPages((cursor) =>
      request(() => api.call('listBoardAdjusters', { query: { ...query, cursor } })),
    );
    return new Map(items.map((one) => [one.svc_id, one]));
  }
  const candidateOrder = createChoice(deps.choices, 'desk-candidates', CANDIDATE_ORDERS);
  /** Nothing is known about the session yet, because the service did not respond. */
  const startFailed = signal(false);
  /** A secret that is shown once: no screen change takes it away. */
  const secret = signal<{ readonly title: string; readonly text: string }>();
  /** Counts the changes that were read, so that an open claim is read again, too. */
  const changes = signal(0);
  const offers = createOffers({ ...shared, onProgress: showOutcome });
  /** On whatever screen the person is by then. */
  function showOutcome(acts: readonly Act[]): void {
    if (acts.length === 0) return;
    const { kind, lines } = outcomeOf(acts, texts.value);
    toasts.showResults(lines, kind);
    if (kind !== 'neutral') void readChanges();
  }

  /** Undefined until the screen has been opened. */
  const uploads = signal<Uploads | undefined>(undefined);
  /** With the code of the screen, which reads files and is large. An upload goes on while another screen is shown. */
  function openUploads(create: typeof createUpload): Uploads {
    uploads.value ??= create({
      ...shared,
      onSent(text, isWhole) {
        if (navigation.route.peek().screen === 'upload') return;
        const line = () => `${texts.value.nav.upload}: ${text(texts.value.upload.outcomes)}`;
        toasts.showResults([line], isWhole ? 'success' : 'neutral');
      },
    });
    return uploads.value;
  }
  const typedInvitations = signal('');
  const typedClocks = signal<TypedClocks | undefined>(undefined);
  /** As the uploads. */
  const invitations = signal<Invitations | undefined>(undefined);
  function openInvitations(create: typeof createInvitations): Invitations {
    invitations.value ??= create({ ...shared, typed: typedInvitations, onEnd: () => void readAdjusters() });
    return invitations.value;
  }
  /** A test key, which nothing but this page's memory keeps, and when a rehearsal with one was started last. */
  const sandbox = { key: signal<string>(), rehearsedSince: signal<string>() };

  async function readChanges(): Promise<void> {
    changes.value += 1;
    await board.list.refresh();
  }
  const live = createLive({
    ...{ isVisible: page.isVisible, random: deps.random, changed: readChanges, signedOut: session.expire },
    openEvents: deps.openEvents,
    disconnected: () => void readRole().catch(() => {}),
  });

  /** The service ends the events when the role has changed. */
  async function readRole(): Promise<void> {
    const number = session.number();
    session.renew(await readProfile(), number);
    if (!can('claims:read')) forget();
  }

  const can = (permission: Permission): boolean =>
    session.profile.value?.permissions.includes(permission) === true;

  function open(): void {
    if (!can('claims:read')) return;
    live.start();
    void board.list.restart();
  }

  /** At the end of a session: the same person goes on afterwards, and others find nothing. */
  function close(): void {
    live.stop();
    board.close();
    adjusters.forget();
    secret.value = undefined;
    sandbox.key.value = undefined;
    sandbox.rehearsedSince.value = undefined;
  }

  function forget(): void {
    close();
    for (const part of [board, offers, uploads.value, invitations.value]) part?.forget();
    typedInvitations.value = '';
    typedClocks.value = undefined;
    environment.value = 'live';
  }

  /** Whose drafts are in this page. */
  let owner: string | undefined;
  function welcome(profile: OwnStaff): void {
    const next = ownerOf(profile);
    if (next === owner) return;
    if (owner !== undefined) forget();
    owner = next;
    try {
      const draft = JSON.parse(deps.drafts.read(DRAFT_KEY) ?? '') as Draft;
      if (draft.owner !== owner) return;
      environment.value = draft.environment;
      board.restore(draft.board);
      offers.draft.value = draft.offer;
      typedInvitations.value = draft.invitations ?? '';
      typedClocks.value = draft.clocks;
    } catch {
      // There is none, or one of another release.
    }
  }
  effect(() => {
    const { value: profile } = session.profile;
    if (profile == null || ownerOf(profile) !== owner) return;
    const typed = {
      ...{ board: board.draft.value, offer: offers.draft.value },
      ...{ invitations: typedInvitations.value, clocks: typedClocks.value },
    };
    const draft: Draft = { owner, environment: environment.value, ...typed };
    deps.drafts.write(DRAFT_KEY, JSON.stringify(draft));
  });

  const readProfile = (): Promise<OwnStaff> => request(() => api.call('getOwnStaff'));

  function enterFirm(profile: OwnStaff): void {
    close();
    welcome(profile);
    session.open(profile);
    open();
  }

  /** @returns what a person of several firms has to choose from, before they are signed in */
  async function signIn(body: SignInProof): Promise<FirmChoice | undefined> {
    const opened = await request(() => api.call('openSession', { body }));
    if ('ticket' in opened) return opened;
    enterFirm(await readProfile());
    return undefined;
  }

  /** Nothing of the other firm stays in the page. */
  async function changeFirm(firm_id: string): Promise<void> {
    const profile = await request(() => api.call('changeFirm', { body: { firm_id } }));
    navigation.go('#/');
    enterFirm(profile);
    deps.onFirmChanged();
  }

  async function signOut(everywhere: boolean): Promise<void> {
    await session.signOut(
      () => api.call(everywhere ? 'closeAllSessions' : 'closeSession'),
      () => api.call('getOwnStaff'),
    );
    forget();
    owner = undefined;
    deps.drafts.write(DRAFT_KEY, '');
    navigation.go('#/');
  }

  function chooseEnvironment(next: Environment): void {
    if (next === environment.value) return;
    live.stop();
    environment.value = next;
    for (const part of [board, adjusters]) part.forget();
    offers.draft.value = undefined;
    // A file was checked for the other environment. What is being sent goes on.
    if (uploads.value?.isSending.value === false) uploads.value.forget();
    open();
  }

  /** Reads the claim that is open, and chooses its environment: it never stands under the name of the other. */
  async function readClaim(id: string) {
    const details = await request(() => api.call('getBoardClaim', { params: { id } }));
    const { value: open } = navigation.route;
    if (open.screen === 'claim' && open.id === id) chooseEnvironment(details.claim.test ? 'test' : 'live');
    return details;
  }

  async function start(): Promise<void> {
    page.onVisibility(() => {
      if (startFailed.value && page.isVisible()) void enter();
      if (!can('claims:read')) return;
      if (!page.isVisible()) return live.stop();
      live.start();
      live.readSoon();
    });
    setInterval(() => {
      now.value = api.now();
      if (startFailed.value) void enter();
      if (!can('claims:read')) return;
      live.poll();
      // Without another change, no event would have the board read again.
      if (page.isVisible() && board.list.failed.value) live.readSoon();
    }, POLL_MS);
    await enter();
  }

  /** Opens the desk with the session of the browser. */
  async function enter(): Promise<void> {
    const number = session.number();
    startFailed.value = false;
    try {
      const profile = await readProfile();
      welcome(profile);
      session.renew(profile, number);
      open();
    } catch (error) {
      // An outage does not end a session, so nobody has to sign in again after it.
      startFailed.value = !(error instanceof ApiError);
      if (startFailed.value) return;
      showError(error);
    }
    session.endStart();
  }

  return {
    ...{ now, language, texts, format, toasts, session, environment, changes, startFailed, secret },
    ...{ board, adjusters, offers, uploads, openUploads, invitations, openInvitations },
    ...{ sandbox, typedClocks },
    ...{ scheme: scheme.choice, chooseScheme: scheme.choose },
    ...{
      can,
      showError,
      showRefusal,
      open,
      signIn,
      changeFirm,
      signOut,
      start,
      enter,
      chooseEnvironment,
    },
    ...{ readAdjusters, readClaim, readCandidates, candidateOrder, readReceipt },
  };
}
