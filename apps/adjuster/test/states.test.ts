import { describe, expect, test } from '@jest/globals';
import { reportErrorBody } from '@svc/contract';
import { errorReport } from '../src/model/error-report.ts';
import { CLOSED, type LiveEvent, type LiveState, liveReducer } from '../src/model/live-state.ts';
import { noOffersReason } from '../src/model/no-offers-reason.ts';
import {
  endsSuggestion,
  notificationStateFrom,
  renewalFor,
  suggestionFor,
} from '../src/model/notification-state.ts';
import { notificationOf } from '../src/model/push-message.ts';
import { type UpdateEvent, type UpdateState, updateReducer } from '../src/model/update-state.ts';
import { createAppNavigation } from '../src/navigation.ts';
import { NOTIFICATION_WORDS } from '../src/texts/worker.ts';
import { PROFILE } from './claims.ts';

const OPEN = { kind: 'open' } as const;
const sent = (revision: string) => ({ kind: 'revision', revision }) as const;
const READ = { kind: 'read', at: 'r1' } as const;

test.each<[string, LiveState['kind'], LiveEvent[]]>([
  ['before the revision is known', 'opening', [OPEN]],
  ['before the lists were read', 'behind', [OPEN, sent('r1')]],
  ['once they were read', 'current', [OPEN, sent('r1'), READ]],
  ['while the revision stays', 'current', [OPEN, sent('r1'), READ, sent('r1')]],
  ['after a change', 'behind', [OPEN, sent('r1'), READ, sent('r2')]],
  ['after a change while they were read', 'behind', [OPEN, sent('r1'), sent('r2'), READ]],
  ['while the page is hidden', 'closed', [OPEN, sent('r1'), READ, { kind: 'close' }]],
  ['when it shows again', 'current', [OPEN, sent('r1'), READ, { kind: 'close' }, OPEN, sent('r1')]],
  ['when a reading ends while it is hidden', 'closed', [OPEN, sent('r1'), { kind: 'close' }, READ]],
  [
    'after a reading of an unknown revision',
    'current',
    [OPEN, sent('r1'), READ, { kind: 'read', at: null }, sent('r1')],
  ],
  ['when it shows again, before the revision', 'opening', [OPEN, sent('r1'), READ, OPEN, READ]],
  ['when they are forgotten', 'closed', [OPEN, sent('r1'), READ, { kind: 'forget' }]],
  ['for the next adjuster', 'behind', [OPEN, sent('r1'), READ, { kind: 'forget' }, OPEN, sent('r1')]],
])('live updates are, %s, %s', (_, kind, events) => {
  expect(events.reduce(liveReducer, CLOSED).kind).toBe(kind);
});

test.each<[UpdateState, ...UpdateEvent[]]>([
  ['uncontrolled', 'installed', 'accepted'],
  ['current', 'controlled', 'accepted'],
  ['waiting', 'controlled', 'installed', 'installed'],
  ['replaced', 'controlled', 'controlled', 'installed', 'accepted', 'controlled'],
  ['replaced', 'controlled', 'installed', 'controlled', 'accepted'],
  ['activating', 'controlled', 'installed', 'accepted', 'installed', 'controlled'],
])('a release of the app is %s after %s', (state, ...events) => {
  expect(events.reduce(updateReducer, 'uncontrolled')).toBe(state);
});

describe('notifications', () => {
  const FACTS = {
    supported: true,
    permission: 'granted',
    wanted: true,
    endpoint: 'https://push/1',
    registered: 'https://push/1',
    inAppleBrowser: false,
  } as const;

  test.each([
    ['the push service has ended the subscription', { registered: null }, 'stopped', 'replace'],
    ['the browser has dropped the subscription', { endpoint: null }, 'stopped', 'replace'],
    ['both have', { endpoint: null, registered: null }, 'stopped', 'replace'],
    [
      'the browser has dropped it, without a network',
      { endpoint: null, registered: undefined },
      'stopped',
      null,
    ],
    ['the service cannot be asked', { registered: undefined }, 'on', null],
    ['the browser has replaced it', { endpoint: 'https://push/2' }, 'on', 'register'],
    ['nothing has changed', {}, 'on', null],
    ['they were turned off', { wanted: false, endpoint: null, registered: null }, 'off', null],
    ['they were forbidden', { permission: 'denied', endpoint: null }, 'denied', null],
    ['they were not asked for', { permission: 'default' }, 'off', null],
    ['the browser has none', { supported: false }, 'unsupported', null],
    ['they need the Home Screen', { supported: false, inAppleBrowser: true }, 'homeScreen', null],
  ] as const)('when %s, show and do what brings them back', (_, changes, state, renewal) => {
    const facts = { ...FACTS, ...changes };
    expect([notificationStateFrom(facts), renewalFor(facts, false)]).toEqual([state, renewal]);
  });

  test('are registered again from time to time, although nothing has changed', () => {
    expect(renewalFor(FACTS, true)).toBe('register');
  });

  test('stay suggested after an attempt that failed', () => {
    expect((['later', 'turned on', 'denied', 'failed'] as const).map(endsSuggestion)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const states = ['on', 'off', 'stopped', 'denied', 'homeScreen', 'unsupported'] as const;
    const suggested = (settled: boolean) => states.map((state) => suggestionFor(state, settled));
    expect(suggested(false)).toEqual([null, 'off', 'stopped', null, 'homeScreen', null]);
    expect(suggested(true)).toEqual([null, null, 'stopped', null, null, null]);
  });
});

describe('why no offers come', () => {
  // Still September 1 where the adjuster is.
  const NOW = Date.parse('2026-09-02T03:00:00Z');
  const firms = (accepting: boolean) =>
    ['Gulf', 'Reef', 'Delta'].map((firm_name) => ({
      firm_id: firm_name,
      firm_name,
      can_accept_claims: true,
      accepting_assignments: accepting || firm_name === 'Reef',
    }));
  const away = (last: string) => [{ first_day: '2026-08-20', last_day: last, time_zone: 'America/Chicago' }];
  const none = PROFILE.availability;
  test.each([
    ['offers come', {}, firms(true), null],
    [
      'all firms are paused',
      { accepting_assignments: false, away: away('2026-09-01') },
      firms(true),
      { kind: 'all', detail: '' },
    ],
    [
      'away',
      { away: [...away('2026-08-22'), ...away('2026-09-01')], max_open_offers: 4 },
      firms(false),
      { kind: 'away', detail: '2026-09-01' },
    ],
    ['no longer away', { away: away('2026-08-31') }, firms(true), null],
    ['as many as wanted', { max_open_offers: 4 }, firms(false), { kind: 'full', detail: '4' }],
    ['fewer than wanted', { max_open_offers: 5 }, firms(true), null],
    ['single firms are paused', {}, firms(false), { kind: 'firms', detail: 'Gulf, Delta' }],
  ])('%s', (_, changes, of, pause) => {
    const profile = { ...PROFILE, firms: of, availability: { ...none, ...changes } };
    expect(noOffersReason(profile, 4, NOW)).toEqual(pause);
  });
});

describe('a push message', () => {
  const WORDS = {
    app: 'Claim assignments',
    locale: 'en-US',
    kinds: { offer: 'A claim waits.', deadlines: 'Due: {count}', credentials: 'Ends: {date}' },
  };

  test.each([
    [
      { kind: 'offer', firm_name: 'Gulf', claim_id: 'c1' },
      { title: 'Gulf', body: 'A claim waits.', tag: 'c1', hash: '#/claims/c1', alert: true },
    ],
    [
      { kind: 'invitation', firm_name: 'Gulf', firm_id: 'f1' },
      { tag: 'f1', hash: '#/invitations/f1', alert: false },
    ],
    [
      { kind: 'deadlines', count: 3 },
      { title: 'Claim assignments', body: 'Due: 3', tag: 'deadlines', hash: '#/claims', alert: true },
    ],
    [
      { kind: 'credentials', date: '2027-04-30' },
      { body: 'Ends: Apr 30, 2027', tag: 'credentials', hash: '#/credentials', alert: true },
    ],
    [{ kind: 'credentials', date: 7 }, { body: 'Ends: ' }],
    [{ kind: 'test' }, { hash: '#/settings', alert: true }],
    [{ kind: 'acceptance_lost', claim_id: 'c1' }, { alert: true }],
    [{ kind: 'offer_withdrawn', claim_id: 'c1' }, { alert: false }],
  ])('says and opens what it is about: %j', (message, shown) => {
    expect(notificationOf(message, WORDS)).toMatchObject(shown);
  });

  test.each([
    [{ kind: 'news', firm_name: 'Gulf' }],
    [{ kind: 'toString' }],
    [{ kind: 'news', firm_id: 'f1' }],
    [{ kind: '', claim_id: '' }],
    [{}],
    [null],
    ['text'],
    [{ claim_id: 7 }],
  ])('of an unknown kind opens the offers: %j', (message) => {
    const shown = notificationOf(message, WORDS);
    expect(shown.hash).toBe('#/');
    expect(shown.body).toBe('Claim assignments');
    expect(JSON.stringify(shown)).not.toContain('undefined');
  });
});

test('notifications have words for each kind in both languages, with the same values', () => {
  const kinds = ['acceptance_lost count', 'credentials date', 'deadlines count', 'invitation ', 'offer '];
  for (const words of Object.values(NOTIFICATION_WORDS)) {
    const values = Object.entries(words.kinds).map(
      ([kind, text]) => `${kind} ${/\{(\w+)\}/.exec(text)?.[1] ?? ''}`,
    );
    expect(values.toSorted()).toEqual([...kinds, 'offer_withdrawn ', 'test ']);
  }
  const { kinds: spanish } = NOTIFICATION_WORDS.es;
  const english = Object.entries(NOTIFICATION_WORDS.en.kinds);
  expect(english.filter(([kind, text]) => spanish[kind] === text)).toEqual([]);
});

describe('an address', () => {
  const opened = (hash: string) =>
    createAppNavigation({
      location: { hash },
      history: { scrollRestoration: 'auto', state: 0, replaceState: () => {}, go: () => {} },
      ...{ scrollY: 0, addEventListener: () => {} },
    });
  test.each([
    ...['', '#/', '#/none', '#/invitations', '#/closed'].map((hash) => [hash, { screen: 'offers' }] as const),
    ['#/claims', { screen: 'claims', closed: false }],
    ['#/claims/closed', { screen: 'claims', closed: true }],
    ...['c1', 'closed1'].map((id) => [`#/claims/${id}`, { screen: 'claim', id }] as const),
    ['#/invitations/f1', { screen: 'invitation', firmId: 'f1' }],
    ...['map', 'history', 'firms', 'settings', 'credentials', 'help'].map(
      (screen) => [`#/${screen}`, { screen }] as const,
    ),
  ])('opens its screen: “%s”', (hash, route) => {
    const { route: shown, go, returnItem } = opened(hash);
    expect(shown.value).toEqual(route);
    // A list takes back the focus from an item of it.
    go('#/other');
    expect(returnItem()).toBe('id' in route || 'firmId' in route ? hash : undefined);
  });
});

describe('a report of an error', () => {
  test('has its name and places, and nothing of its message', () => {
    const error = new TypeError('no street in {"policyholder":"Marisol Delgado"}');
    error.stack = `TypeError: no street of Marisol Delgado
      at row (https://claims.example/app/assets/index-Crw_cc-E.js:1:4711)
      at https://claims.example/app/assets/shared-B-PATA3m.js:12:9`;
    expect(errorReport(error, 'claim')).toEqual({
      screen: 'claim',
      error: 'TypeError',
      places: 'index-Crw_cc-E.js:1:4711 shared-B-PATA3m.js:12:9',
    });
    expect(errorReport('Marisol Delgado', 'offers')).toEqual({ screen: 'offers', error: 'string' });
  });

  test('fits the contract, however long its stack is', () => {
    const error = new Error('x');
    error.name = 'Error 42 of Marisol'.padEnd(60, 'x');
    error.stack = Array.from({ length: 40 }, (_, n) => `at ${'a'.repeat(80)}.js:${n}:1`).join('\n');
    const places = Array.from({ length: 10 }, (_, n) => `${'a'.repeat(60)}.js:${n}:1`).join(' ');
    const named = 'ErrorofMarisol'.padEnd(40, 'x');
    expect(errorReport(error, 'claim')).toEqual({ screen: 'claim', error: named, places });
    const unnamed = Object.assign(new Error('x'), { name: '42', stack: '' });
    expect(errorReport(unnamed, 'claim')).toEqual({ screen: 'claim', error: 'Error' });
    for (const report of [errorReport(error, 'claim'), errorReport(null, 'map')])
      expect(reportErrorBody.safeParse(report)).toMatchObject({ success: true });
  });
});
