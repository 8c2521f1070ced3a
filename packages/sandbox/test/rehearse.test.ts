import { expect, test } from '@jest/globals';
import { createClient } from '@svc/client';
import * as contract from '../../contract/src/vocabulary.ts';
import { eventClaim, FAULT_KINDS, rehearse } from '../src/index.ts';

test('the kinds of faults are those of the contract', () => {
  expect(FAULT_KINDS).toEqual(contract.FAULT_KINDS);
});

/** A service with the test accounts, and the fault that the next request of the firm's program meets. */
function simulatedService() {
  const state = { fault: null as string | null, claims: [] as object[], steps: [] as string[] };
  const data = ['accepts', 'manual', 'rejects', 'paused'].map((ending) => ({
    ...{ svc_id: `test_${ending}`, test: true, status: 'active' },
  }));
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(String(url));
    if (pathname === '/v1/me') return Response.json({ key: { environment: 'test' } });
    if (pathname === '/v1/adjusters') return Response.json({ data, next_cursor: null });
    if (pathname === '/v1/claims') return Response.json({ data: state.claims, next_cursor: null });
    if (pathname === '/v1/test/faults')
      state.fault = init?.method === 'PUT' ? JSON.parse(String(init.body)).kind : null;
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

test('the first request meets a fault, however fast a program sends, and no further one before the first claim', async () => {
  const { state, client, meet } = simulatedService();
  const met: (string | null)[] = [];
  const rehearsal = rehearse(client, {
    ...{ claims: 4, durationMs: 600, now: Date.now, signal: new AbortController().signal },
    handOut: () => void met.push(meet()),
    say: (step) => void state.steps.push(step),
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  met.push(meet());
  const assignment = { status: 'accepted', adjuster_svc_id: 'test_accepts' };
  state.claims.push({ ...eventClaim(0, 'test_accepts', 'x', 0), assignment });
  await rehearsal;
  expect(met).toEqual(['dropped', null]);
  expect([state.fault, state.steps.at(-1)]).toEqual([null, 'the next response is slow']);
});
