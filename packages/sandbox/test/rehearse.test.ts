import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { type Client, createClient } from '@svc/client';
import { endpoints, parseRequest } from '../../contract/src/index.ts';
import {
  DEFAULT_REHEARSAL,
  eventClaim,
  rehearse,
  SANDBOX_COMMANDS,
  SCRIPT,
  UnfitKeyError,
} from '../src/index.ts';

const STATUS_AFTER: Readonly<Record<string, string>> = {
  departure: 'withdrawn',
  pause: 'paused',
  resume: 'active',
  acceptance: 'active',
};

/** A service with the test accounts, and the fault that the next request of the firm's program meets. */
function simulatedService(environment = 'test') {
  const accounts = new Map(
    ['accepts', 'manual', 'rejects', 'paused'].map((name) => [`test_${name}`, 'active']),
  );
  const state = {
    fault: null as string | null,
    claims: [] as { readonly id?: string; updated_at?: string; assignment: object }[],
    steps: [] as string[],
    /** How often the claims were listed. */
    polls: 0,
    /** Of the polls, the first one that lists claims. */
    firstPoll: 1,
    listedSince: '',
    limits: new Set<string>(),
    /** Of the rejections. */
    reasons: [] as unknown[],
    accounts,
    /** Requests that are refused, once each, with the status. */
    refused: [] as string[],
    /** A request that takes effect, once, and whose response is lost. */
    lost: null as string | null,
    /** Called for a request that is never answered. */
    silent: { path: '', onRequest: () => {} },
  };
  const rowsOf = () => [
    { svc_id: 'old_manual', test: true, status: 'withdrawn' },
    { svc_id: 'real_manual', test: false, status: 'active' },
    ...[...accounts].map(([svc_id, status]) => ({ svc_id, test: true, status })),
  ];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(String(url));
    const request = `${init?.method} ${pathname}`;
    if (pathname === state.silent.path) return new Promise(state.silent.onRequest);
    state.listedSince = searchParams.get('updated_since') ?? state.listedSince;
    if (pathname === '/v1/claims' || pathname === '/v1/adjusters')
      state.limits.add(`${searchParams.get('limit')}`);
    const response = respond(request, pathname, init, Number(searchParams.get('cursor')));
    if (state.lost !== request) return response;
    state.lost = null;
    throw new TypeError('fetch failed');
  };
  const respond = (
    request: string,
    pathname: string,
    init: RequestInit | undefined,
    from: number,
  ): Response => {
    const refuse = (status: number) => new Response('{}', { status });
    const page = (rows: readonly unknown[]) =>
      Response.json({
        data: rows.slice(from, from + 3),
        next_cursor: from + 3 < rows.length ? `${from + 3}` : null,
      });
    if (state.refused[0]?.startsWith(`${request} `)) return refuse(Number(state.refused.shift()?.slice(-3)));
    if (pathname === '/v1/me') return Response.json({ key: { environment } });
    if (pathname === '/v1/adjusters') return page(rowsOf());
    if (pathname === '/v1/claims') {
      if (from === 0) state.polls += 1;
      return page(state.polls < state.firstPoll ? [] : state.claims);
    }
    if (pathname === '/v1/test/faults') {
      const { kind = null, count } = init?.method === 'PUT' ? JSON.parse(String(init.body)) : {};
      state.fault = kind;
      if (kind !== null) state.steps.push(`${count} ${kind}`);
    }
    const invited = request === 'POST /v1/adjusters/invitations' && JSON.parse(String(init?.body)).svc_id;
    if (invited && accounts.get(invited) !== 'withdrawn') return refuse(409);
    if (invited) accounts.set(invited, 'pending');
    const [, kind, svcId = '', what = ''] = /^\/v1\/test\/(\w+)\/(\w+)\/(\w+)$/.exec(pathname) ?? [];
    if (kind === 'invitations' && accounts.get(svcId) !== 'pending') return refuse(404);
    if (what === 'departure' && accounts.get(svcId) !== 'active') return refuse(404);
    if (kind === 'claims') {
      const claim = state.claims.find(({ id }) => id === svcId);
      if (what === 'rejection') state.reasons.push(JSON.parse(String(init?.body)).reason);
      // Its firm offers a rejected claim to the same adjuster again.
      if (claim !== undefined && what === 'rejection') claim.updated_at = `${state.polls}`;
      if (claim !== undefined && what === 'acceptance') claim.assignment = { status: 'accepted' };
    } else if (svcId !== '') {
      accounts.set(svcId, STATUS_AFTER[what] ?? 'unknown');
      state.steps.push(`${svcId} ${what}`);
    }
    return Response.json({});
  };
  return {
    state,
    client: createClient({ baseUrl: 'http://service.test', apiKey: 'svc_test_x', fetch }),
    /** The firm's program sends a request. */
    meet(): string | null {
      const { fault } = state;
      state.fault = null;
      return fault;
    },
  };
}

/** Runs a short rehearsal whose claims are there from the start. */
async function rehearsed(
  refused: readonly string[],
  onStep: (step: string, state: ReturnType<typeof simulatedService>['state'], stop: () => void) => void,
  lost: string | null = null,
  silent = '',
) {
  const { state, client } = simulatedService();
  state.refused.push(...refused);
  state.lost = lost;
  const assignment = { status: 'accepted', adjuster_svc_id: 'test_accepts' };
  state.claims.push({ ...eventClaim(0, 'test_accepts', 'x', 0), assignment });
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error('stopped'));
  state.silent = { path: silent, onRequest: stop };
  const run = rehearse(client, {
    ...{ claims: 4, durationMs: 60, now: Date.now, signal: stopping.signal, onClaims: () => {} },
    onStep: (step) => onStep(step, state, stop),
  });
  const end = await run.then(
    () => 'over',
    (error: Error) => error.message,
  );
  return { end, fault: state.fault, statuses: [...new Set(state.accounts.values())] };
}

test('the first request meets a fault, however fast a program sends, and no further one before the first claim', async () => {
  const { state, client, meet } = simulatedService();
  const met: (string | null)[] = [];
  const rehearsal = rehearse(client, {
    ...{ claims: 4, durationMs: 600, now: Date.now, signal: new AbortController().signal },
    onClaims: () => void met.push(meet()),
    onStep: (step) => void state.steps.push(step),
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  met.push(meet());
  const assignment = { status: 'accepted', adjuster_svc_id: 'test_accepts' };
  const firstSentAt = Date.now();
  state.claims.push({ ...eventClaim(0, 'test_accepts', 'x', 0), assignment });
  // What is checked afterwards includes the requests before the first claim.
  expect(Date.parse(await rehearsal)).toBeLessThan(firstSentAt);
  expect(met).toEqual(['dropped_write', null]);
  expect([state.fault, state.steps.includes('the next response is slow')]).toEqual([null, true]);
});

const START = Date.parse('2026-09-01T12:00:00Z');

/** A program whose claims are there from the fourth poll on, on a clock that only polls advance: by 1 % of the time each. */
async function rehearsedByPolls(
  assignments: readonly object[],
  environment?: string,
  refused: readonly string[] = [],
) {
  const { state, client } = simulatedService(environment);
  state.firstPoll = 4;
  state.refused.push(...refused);
  state.claims = assignments.map((assignment, n) => ({
    ...{ id: `c${n}`, external_id: `c${n}`, updated_at: 'sent', assignment },
  }));
  const sent: string[] = [];
  const since = await rehearse(client, {
    ...{ claims: 10, durationMs: 100, now: () => START + Math.max(state.polls - 1, 0) },
    onStep: (step) => void state.steps.push(`${Math.max(state.polls - 4, 0)} % ${step}`),
    onClaims: (lines) => void sent.push(...lines.split('\n')),
    signal: new AbortController().signal,
  });
  const { steps, listedSince, polls } = state;
  return { sent, steps, since, listedSince, polls };
}

test('an offer that ended before it was answered does not end the rehearsal', async () => {
  const pending = { status: 'pending_acceptance', adjuster_svc_id: 'test_manual' };
  const { steps } = await rehearsedByPolls([pending], 'test', ['POST /v1/test/claims/c0/acceptance 409']);
  // It was refused once.
  expect(steps).toEqual(expect.arrayContaining(['2 % _manual accepts c0', '95 % the next response is slow']));
});

test.each(['adjusters/test_manual/departure 404', 'claims/c0/acceptance 422'])(
  'a change that has not taken effect, and an offer that cannot be answered for another reason, end the rehearsal: %s',
  async (refused) => {
    const pending = { status: 'pending_acceptance', adjuster_svc_id: 'test_manual' };
    const run = rehearsedByPolls([pending], 'test', [`POST /v1/test/${refused}`]);
    await expect(run).rejects.toThrow(`status ${refused.slice(-3)}`);
  },
);

test('without one of the test accounts nothing is simulated, and no claim is handed out', async () => {
  const { state, client } = simulatedService();
  state.accounts.set('test_paused', 'pending');
  const run = rehearse(client, {
    ...{ claims: 8, durationMs: 60, now: Date.now, signal: new AbortController().signal, onStep: () => {} },
    onClaims: () => Promise.reject(new Error('claims were handed out')),
  });
  const problem = 'the test account _paused is not a member; invite it';
  await expect(run).rejects.toThrow(new UnfitKeyError(problem));
  expect(state.steps).toEqual([]);
});

test('each step does what it says, its time begins with the first claim, and its claims are those since the start', async () => {
  const { steps, ...times } = await rehearsedByPolls([{ status: 'accepted' }]);
  const start = new Date(START).toISOString();
  expect(times).toMatchObject({ since: start, listedSince: start, polls: 4 + 101 });
  expect(steps).toEqual([
    ...['3 dropped_write', '0 % the responses to the next 3 writes are lost'],
    ...['5 % the next 2 requests are rate limited', '2 rate_limited'],
    ...['14 % the next 7 requests fail with 500', '7 internal_error'],
    ...['30 % the next 5 responses have an unknown status', '5 unknown_value'],
    ...['40 % _accepts pauses assignments', 'test_accepts pause'],
    ...['42 % the next 3 pages have one claim each', '3 short_page'],
    ...['51 % the next 2 requests get 503', '2 service_unavailable'],
    ...['55 % _accepts resumes', 'test_accepts resume'],
    ...['60 % the responses to the next 3 writes are lost', '3 dropped_write'],
    ...['66 % _manual leaves the firm', 'test_manual departure'],
    ...['70 % _manual is back', 'test_manual acceptance'],
    ...['72 % the next 5 responses have an unknown status', '5 unknown_value'],
    ...['83 % the next 3 pages have one claim each', '3 short_page'],
    ...['95 % the next response is slow', '1 slow'],
    'test_accepts resume',
  ]);
});

test('offers to _manual are answered one per poll over the whole time, also a second and a third time; each fourth is not', async () => {
  const pending = { status: 'pending_acceptance', adjuster_svc_id: 'test_manual' };
  const others = [{ ...pending, adjuster_svc_id: 'test_accepts' }, { status: 'rejected' }];
  const { steps } = await rehearsedByPolls([...Array(8).fill(pending), ...others]);
  expect(steps.filter((step) => / c\d$/.test(step))).toEqual([
    ...['1 % _manual accepts c0', '5 % _manual rejects c1', '10 % _manual accepts c2'],
    ...['12 % _manual rejects c1', '19 % _manual accepts c1', '20 % _manual accepts c4'],
    ...['25 % _manual rejects c5', '31 % _manual accepts c6', '38 % _manual rejects c5'],
    '51 % _manual accepts c5',
  ]);
});

test('a test key is needed, and the claims to send are for active test accounts, with ids of their own in each rehearsal', async () => {
  const { sent } = await rehearsedByPolls([{ status: 'accepted' }]);
  expect(sent.pop()).toBe('');
  await expect(rehearsedByPolls([], 'live')).rejects.toThrow(UnfitKeyError);
  const claims = sent.map((line) => JSON.parse(line) as ReturnType<typeof eventClaim>);
  const names = 'accepts manual rejects manual accepts manual rejects paused accepts manual';
  expect(claims.map(({ adjuster_svc_id: id }) => id)).toEqual(names.split(' ').map((name) => `test_${name}`));
  expect(claims[1]).toEqual(eventClaim(1, 'test_manual', START.toString(36), START));
  const again = claims.map((_, n) => eventClaim(n, 'test_manual', 'x', START));
  const ids = [...claims, ...again].flatMap(({ external_id, claim_number }) => [external_id, claim_number]);
  expect(new Set(ids).size).toBe(40);
});

test('a claim is of its town, flooded by the surge on the coast and by rain inland, of a person or each sixth of a company', () => {
  const of = (n: number) => eventClaim(n, 'test_manual', 'x', START);
  const shared = { building_type: 'main_dwelling', occupancy_type: 'single_family_home' };
  expect(of(0)).toEqual({
    ...{ external_id: 'REH-x-0001', claim_number: 'FL-x-0001' },
    ...{ adjuster_svc_id: 'test_manual', reported_date: '2026-09-01' },
    loss: {
      ...{ date: '2026-08-30', cause: 'tidal_water_overflow' },
      ...{ exterior_water_depth_inches: 30, interior_water_depth_inches: 15 },
    },
    policy: { number: '87-4410000000', effective_date: '2026-02-13', expiration_date: '2027-02-13' },
    carrier: { name: 'Palmetto Mutual Insurance' },
    loss_location: {
      ...{ street: '100 Heron Way', city: 'Fort Myers Beach', county: 'Lee' },
      ...{ state: 'FL', zip: '33931' },
    },
    policyholder: { first_name: 'Marisol', last_name: 'Delgado', phone: '239-555-0100' },
    building: { ...shared, flood_zone: 'VE' },
    coverages: { building_limit: 250_000, contents_limit: 100_000 },
  });
  expect(of(113)).toMatchObject({
    ...{ external_id: 'REH-x-0114', reported_date: '2026-08-31' },
    carrier: { name: 'Harborline Flood Insurance' },
    loss: {
      ...{ cause: 'rainfall_snowmelt_accumulation' },
      ...{ exterior_water_depth_inches: 25, interior_water_depth_inches: 12 },
    },
    loss_location: { street: '552 Gulf Terrace', city: 'Punta Gorda' },
    policyholder: { company_name: 'Punta Gorda Rentals LLC', phone: '239-555-0163' },
    building: { ...shared, flood_zone: 'AE' },
  });
  expect(Object.values(of(9).policyholder)).toEqual(['Ana', 'Castellano', '239-555-0109']);
  const towns = [0, 1, 2, 3, 4].map((n) => {
    const { city, county, zip } = of(n).loss_location;
    return [city, county, zip, ...[n, n + 5, n + 10].map((m) => of(m).building?.flood_zone)].join(' ');
  });
  expect(towns).toEqual([
    ...['Fort Myers Beach Lee 33931 VE AE AE', 'Sanibel Lee 33957 VE AE VE', 'Cape Coral Lee 33904 AE AE X'],
    ...['Punta Gorda Charlotte 33950 AE X AE', 'Naples Collier 34102 AE VE X'],
  ]);
});

test('the claims are handed out before anything is polled, in large pages, a rejection has a reason, and nothing listens afterwards', async () => {
  const { state, client } = simulatedService();
  const { signal } = new AbortController();
  const pending = { status: 'pending_acceptance', adjuster_svc_id: 'test_manual' };
  state.firstPoll = 2;
  state.claims = [0, 1].map((n) => ({
    ...{ id: `c${n}`, external_id: `c${n}`, updated_at: 'sent', assignment: pending },
  }));
  let before = -1;
  await rehearse(client, {
    ...{ claims: 1, durationMs: 100, now: () => START + Math.max(state.polls - 1, 0) },
    ...{ signal, onStep: () => {} },
    async onClaims() {
      await new Promise(setImmediate);
      before = state.polls;
    },
  });
  expect([before, [...state.limits], state.reasons[0], getEventListeners(signal, 'abort')]).toEqual([
    ...[0, ['200'], 'The road is closed.', []],
  ]);
});

test('the service takes each claim of the longest rehearsal, which is reported from the loss to the start', () => {
  const wrong = Array.from({ length: 1000 }, (_, n) => eventClaim(n, 'test_manual', 'x', START)).filter(
    (body) => {
      const { loss, reported_date = '' } = body;
      const isReported = loss.date <= reported_date && reported_date <= '2026-09-01';
      return (
        !isReported || !parseRequest(endpoints.sendClaim, { headers: { 'idempotency-key': 'k' }, body }).ok
      );
    },
  );
  expect(wrong).toEqual([]);
});

test('each command is one call for its argument, with what stops it; a rejection has its reason', async () => {
  const options = { signal: new AbortController().signal, reason: 'Too far' };
  const call = (method: string) => async (about: string, given: object) => ({ method, about, given });
  const sandbox = new Proxy({}, { get: (_, method: string) => call(method) }) as Client['sandbox'];
  const calls = SANDBOX_COMMANDS.map(async ({ name, argument, run }) => {
    const { method, about, given } = (await run(sandbox, 'x', options)) as Record<string, unknown>;
    expect([about, given]).toEqual(['x', name === 'reject' ? options : { signal: options.signal }]);
    return `${name} ${argument} ${method}`;
  });
  expect(await Promise.all(calls)).toEqual([
    ...['accept id acceptClaim', 'reject id rejectClaim', 'close id closeClaim'],
    ...['accept-invitation svcid acceptInvitation', 'decline-invitation svcid declineInvitation'],
    ...['expire-invitation svcid expireInvitation', 'leave svcid leaveFirm', 'pause svcid pauseAdjuster'],
    ...['resume svcid resumeAdjuster', 'suspend svcid suspendAdjuster', 'reinstate svcid reinstateAdjuster'],
  ]);
});

const AS_BEFORE = { fault: null, statuses: ['active'] };

test('whichever step it is stopped at, and at its end, no fault is left and the accounts are as before', async () => {
  const steps: string[] = [];
  const met: string[] = [];
  const over = await rehearsed([], (step, { fault, accounts }) => {
    steps.push(step);
    met.push(`${fault}`, ...accounts.values());
  });
  expect(over).toEqual({ end: 'over', ...AS_BEFORE });
  expect(steps).toHaveLength(14);
  // Otherwise there would be nothing to undo.
  expect(met).toEqual(expect.arrayContaining(['dropped_write', 'short_page', 'paused', 'withdrawn']));
  for (const n of steps.keys()) {
    let passed = 0;
    const stopped = await rehearsed([], (_, __, stop) => {
      if (passed === n) stop();
      passed += 1;
    });
    expect([steps[n], stopped]).toEqual([steps[n], { end: 'stopped', ...AS_BEFORE }]);
  }
});

test.each(['me', 'adjusters', 'claims'])('it is stopped also while it waits for /v1/%s', async (path) => {
  const stopped = await rehearsed([], () => {}, null, `/v1/${path}`);
  expect(stopped).toEqual({ end: 'stopped', ...AS_BEFORE });
});

test.each(['_accepts pauses assignments', '_manual leaves the firm'])(
  'the accounts are as before, and the error is what stopped it, if faults cannot be cleared after: %s',
  async (last) => {
    const stopped = await rehearsed(['DELETE /v1/test/faults 422'], (step, _, stop) => {
      if (step === last) stop();
    });
    expect(stopped).toEqual({ ...AS_BEFORE, end: 'stopped', fault: expect.any(String) });
  },
);

test('an adjuster whose return failed between invitation and acceptance is back', async () => {
  const accept = 'POST /v1/test/invitations/test_manual/acceptance 422';
  const failed = await rehearsed([accept], () => {});
  expect(failed).toEqual({ end: expect.stringContaining('422'), ...AS_BEFORE });
});

test.each(['adjusters/test_manual/departure', 'invitations/test_manual/acceptance'])(
  'a rehearsal goes on when the response to a change was lost and its repetition gets 404: %s',
  async (path) => {
    expect(await rehearsed([], () => {}, `POST /v1/test/${path}`)).toEqual({ end: 'over', ...AS_BEFORE });
  },
);

test('each fault is left for longer than a minute at the default time, so that a poll each minute meets it', () => {
  expect(DEFAULT_REHEARSAL).toEqual({ claims: 30, minutes: 12 });
  const faults = SCRIPT.filter(([, text]) => text.startsWith('the next '));
  const minutes = faults.map(([part], n) => ((faults[n + 1]?.[0] ?? 1) - part) * DEFAULT_REHEARSAL.minutes);
  // The last one, a slow response, is no check of readiness.
  expect(minutes.slice(0, -1).filter((left) => left <= 1)).toEqual([]);
});
