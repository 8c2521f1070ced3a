import { describe, expect, test } from '@jest/globals';
import { type Profile, reportErrorBody } from '@svc/contract';
import { errorReport } from '../src/model/error-report.ts';
import { CLOSED, type LiveEvent, liveReducer } from '../src/model/live-state.ts';
import { noOffersReason } from '../src/model/no-offers-reason.ts';
import {
  endsSuggestion,
  notificationStateFrom,
  renewalFor,
  suggestionFor,
} from '../src/model/notification-state.ts';
import { notificationOf } from '../src/model/push-message.ts';
import { type UpdateEvent, type UpdateState, updateReducer } from '../src/model/update-state.ts';

const PROFILE: Profile = {
  svc_id: 'SVC-1',
  test: false,
  first_name: 'Jean',
  last_name: 'Delacroix',
  email: 'jean@example.com',
  firms: [],
  availability: { accepting_assignments: true, away: [], max_open_offers: null, work_zip: null },
};

describe('live updates', () => {
  const after = (...events: LiveEvent[]) => events.reduce(liveReducer, CLOSED);

  test('need no reading of the lists while the revision is the one they were read at', () => {
    const read: LiveEvent = { kind: 'read', at: 'r1' };
    expect(after({ kind: 'open' }).kind).toBe('opening');
    expect(after({ kind: 'open' }, { kind: 'revision', revision: 'r1' }).kind).toBe('behind');
    const current = after({ kind: 'open' }, { kind: 'revision', revision: 'r1' }, read);
    expect(current.kind).toBe('current');
    expect(liveReducer(current, { kind: 'revision', revision: 'r1' }).kind).toBe('current');
    expect(liveReducer(current, { kind: 'revision', revision: 'r2' }).kind).toBe('behind');
  });

  test('notice a change that came while the lists were being read', () => {
    const changed = after(
      { kind: 'open' },
      { kind: 'revision', revision: 'r1' },
      { kind: 'revision', revision: 'r2' },
    );
    expect(liveReducer(changed, { kind: 'read', at: 'r1' }).kind).toBe('behind');
  });

  test('compare with the stored lists again after the page was hidden', () => {
    const hidden = after(
      { kind: 'open' },
      { kind: 'revision', revision: 'r1' },
      { kind: 'read', at: 'r1' },
      { kind: 'close' },
    );
    expect(hidden.kind).toBe('closed');
    const shown = liveReducer(hidden, { kind: 'open' });
    expect(liveReducer(shown, { kind: 'revision', revision: 'r1' }).kind).toBe('current');
    expect(after({ kind: 'forget' })).toEqual(CLOSED);
  });
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

  test('are on only with permission and a subscription of this adjuster, and need the Home Screen on an iPhone', () => {
    expect(notificationStateFrom(FACTS)).toBe('on');
    expect(notificationStateFrom({ ...FACTS, wanted: false })).toBe('off');
    expect(notificationStateFrom({ ...FACTS, permission: 'default' })).toBe('off');
    expect(notificationStateFrom({ ...FACTS, permission: 'denied' })).toBe('denied');
    expect(notificationStateFrom({ ...FACTS, supported: false })).toBe('unsupported');
    expect(notificationStateFrom({ ...FACTS, supported: false, inAppleBrowser: true })).toBe('homeScreen');
  });

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
    expect(suggestionFor('off', false)).toBe('off');
    expect(suggestionFor('homeScreen', false)).toBe('homeScreen');
    expect(suggestionFor('off', true)).toBeNull();
    expect(suggestionFor('stopped', true)).toBe('stopped');
    expect(suggestionFor('denied', false)).toBeNull();
  });
});

describe('why no offers come', () => {
  const NOW = Date.parse('2026-09-01T12:00:00Z');
  const firms = (accepting: boolean) =>
    ['Gulf', 'Delta'].map((firm_name) => ({
      firm_id: firm_name,
      firm_name,
      can_accept_claims: true,
      accepting_assignments: accepting,
    }));
  const away = (last: string) => [{ first_day: '2026-08-20', last_day: last, time_zone: 'America/Chicago' }];
  const none = PROFILE.availability;
  test.each([
    ['offers come', {}, firms(true), null],
    ['all firms are paused', { accepting_assignments: false }, firms(true), { kind: 'all', detail: '' }],
    ['away', { away: away('2026-09-01') }, firms(false), { kind: 'away', detail: '2026-09-01' }],
    ['no longer away', { away: away('2026-08-31') }, firms(true), null],
    ['as many as wanted', { max_open_offers: 4 }, firms(true), { kind: 'full', detail: '4' }],
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
    kinds: { offer: 'A claim is waiting for your answer.' },
  };

  test('of a known kind shows the firm and opens its claim or invitation', () => {
    const shown = notificationOf({ kind: 'offer', firm_name: 'Gulf', claim_id: 'c1' }, WORDS);
    expect(shown).toEqual({
      title: 'Gulf',
      body: 'A claim is waiting for your answer.',
      tag: 'c1',
      hash: '#/claims/c1',
      alert: true,
    });
    expect(notificationOf({ kind: 'invitation', firm_name: 'Gulf', firm_id: 'f1' }, WORDS).hash).toBe(
      '#/invitations/f1',
    );
  });

  test('of deadlines says how many, and opens the accepted claims', () => {
    const words = { ...WORDS, kinds: { deadlines: 'Due: {count}' } };
    expect(notificationOf({ kind: 'deadlines', count: 3 }, words)).toEqual({
      title: 'Claim assignments',
      body: 'Due: 3',
      tag: 'deadlines',
      hash: '#/claims',
      alert: true,
    });
  });

  test('of credentials says when they end, and opens them', () => {
    const words = { ...WORDS, kinds: { credentials: 'Ends: {date}' } };
    expect(notificationOf({ kind: 'credentials', date: '2027-04-30' }, words)).toMatchObject({
      ...{ body: 'Ends: Apr 30, 2027', tag: 'credentials', hash: '#/credentials' },
    });
    expect(notificationOf({ kind: 'credentials', date: 7 }, words).body).toBe('Ends: ');
  });

  test.each([
    [{ kind: 'news', firm_name: 'Gulf' }],
    [{ kind: 'toString' }],
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

describe('a new release of the app', () => {
  const after = (...events: UpdateEvent[]): UpdateState =>
    events.reduce(updateReducer, 'uncontrolled' as UpdateState);

  test('is not announced when the app is installed for the first time', () => {
    expect(after('installed', 'controlled')).toBe('current');
  });

  test('waits for the adjuster, and is in use at once when another page has activated it', () => {
    expect(after('controlled', 'installed')).toBe('waiting');
    expect(after('controlled', 'installed', 'accepted', 'controlled')).toBe('activating');
    expect(after('controlled', 'installed', 'controlled', 'accepted')).toBe('replaced');
    expect(after('controlled', 'controlled')).toBe('replaced');
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
    error.name = 'Error 42 of Marisol';
    error.stack = Array.from({ length: 40 }, (_, n) => `at ${'a'.repeat(80)}.js:${n}:1`).join('\n');
    for (const report of [errorReport(error, 'claim'), errorReport(null, 'map')])
      expect(reportErrorBody.safeParse(report)).toMatchObject({ success: true });
  });
});
