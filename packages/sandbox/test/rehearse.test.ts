import { expect, test } from '@jest/globals';
import { createClient } from '@svc/client';
import { DEFAULT_REHEARSAL, eventClaim, rehearse, SCRIPT } from '../src/index.ts';

const STATUS_AFTER: Readonly<Record<string, string>> = {
  departure: 'withdrawn',
  pause: 'paused',
  resume: 'active',
  acceptance: 'active',
};

/** A service with the test accounts, and the fault that the next request of the firm's program meets. */
function simulatedService() {
  const accounts = new Map(
    ['accepts', 'manual', 'rejects', 'paused'].map((name) => [`test_${name}`, 'active']),
  );
  const state = {
    fault: null as string | null,
    claims: [] as object[],
    steps: [] as string[],
    accounts,
    /** Requests that are refused, once each. */
    refused: [] as string[],
  };
  const rowsOf = () => [...accounts].map(([svc_id, status]) => ({ svc_id, test: true, status }));
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(String(url));
    const request = `${init?.method} ${pathname}`;
    const refuse = (status: number) => new Response('{}', { status });
    if (state.refused[0] === request) return [refuse(422), state.refused.shift()][0] as Response;
    if (pathname === '/v1/me') return Response.json({ key: { environment: 'test' } });
    if (pathname === '/v1/adjusters') return Response.json({ data: rowsOf(), next_cursor: null });
    if (pathname === '/v1/claims') return Response.json({ data: state.claims, next_cursor: null });
    if (pathname === '/v1/test/faults')
      state.fault = init?.method === 'PUT' ? JSON.parse(String(init.body)).kind : null;
    const invited = request === 'POST /v1/adjusters/invitations' && JSON.parse(String(init?.body)).svc_id;
    if (invited && accounts.get(invited) !== 'withdrawn') return refuse(409);
    if (invited) accounts.set(invited, 'pending');
    const [, kind, svcId = '', what = ''] = /^\/v1\/test\/(\w+)\/(\w+)\/(\w+)$/.exec(pathname) ?? [];
    if (kind === 'invitations' && accounts.get(svcId) !== 'pending') return refuse(404);
    if (svcId !== '') accounts.set(svcId, STATUS_AFTER[what] ?? 'unknown');
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
) {
  const { state, client } = simulatedService();
  state.refused.push(...refused);
  const assignment = { status: 'accepted', adjuster_svc_id: 'test_accepts' };
  state.claims.push({ ...eventClaim(0, 'test_accepts', 'x', 0), assignment });
  const stopping = new AbortController();
  const run = rehearse(client, {
    ...{ claims: 4, durationMs: 60, now: Date.now, signal: stopping.signal, onClaims: () => {} },
    onStep: (step) => onStep(step, state, () => stopping.abort(new Error('stopped'))),
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
  state.claims.push({ ...eventClaim(0, 'test_accepts', 'x', 0), assignment });
  await rehearsal;
  expect(met).toEqual(['dropped_write', null]);
  expect([state.fault, state.steps.at(-1)]).toEqual([null, 'the next response is slow']);
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

test.each(['_accepts pauses assignments', '_manual leaves the firm'])(
  'the accounts are as before, and the error is what stopped it, if faults cannot be cleared after: %s',
  async (last) => {
    const stopped = await rehearsed(['DELETE /v1/test/faults'], (step, _, stop) => {
      if (step === last) stop();
    });
    expect(stopped).toEqual({ ...AS_BEFORE, end: 'stopped', fault: expect.any(String) });
  },
);

test('an adjuster whose return failed between invitation and acceptance is back', async () => {
  const accept = 'POST /v1/test/invitations/test_manual/acceptance';
  const failed = await rehearsed([accept], () => {});
  expect(failed).toEqual({ end: expect.stringContaining('422'), ...AS_BEFORE });
});

test('each fault is left for longer than a minute at the default time, so that a poll each minute meets it', () => {
  const faults = SCRIPT.filter(([, text]) => text.startsWith('the next '));
  const minutes = faults.map(([part], n) => ((faults[n + 1]?.[0] ?? 1) - part) * DEFAULT_REHEARSAL.minutes);
  // The last one, a slow response, is no check of readiness.
  expect(minutes.slice(0, -1).filter((left) => left <= 1)).toEqual([]);
});
