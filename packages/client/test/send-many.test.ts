import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { EXAMPLES, smallestClaim } from '@svc/contract';
import { ClaimsError, type NewClaim, type SendOutcome } from '../src/index.ts';
import {
  collect,
  countingInFlight,
  createTestClient,
  failureOf,
  json,
  problem,
  type Reply,
  type Sent,
  START,
  stall,
  unreachable,
} from './test-client.ts';

const response = EXAMPLES.sendClaim.response as Record<string, unknown>;

const claim = (number: number): NewClaim => ({
  ...smallestClaim,
  external_id: `EXT-${number}`,
  claim_number: `CN-${number}`,
});
const storedClaim = (number: number): object => {
  const { adjuster_svc_id: _, ...fields } = claim(number);
  const { test, created_at, updated_at, assignment } = response;
  return { test, created_at, updated_at, assignment, ...fields };
};
const claims = (count: number) => Array.from({ length: count }, (_, i) => claim(i));
const externalId = ({ body }: Sent) => (body as NewClaim).external_id;
const brief = (outcomes: readonly SendOutcome[]) =>
  outcomes.map(({ index, request, status }) => `${index} ${request.external_id} ${status}`);

const created: Reply = (sent, signal) => {
  const { adjuster_svc_id, ...fields } = sent.body as NewClaim;
  return json({ ...response, ...fields, id: fields.external_id }, 201)(sent, signal);
};

/** Responds to one claim in another way. */
const except =
  (number: number, reply: Reply): Reply =>
  (sent, signal) =>
    (sent.method === 'POST' && externalId(sent) === `EXT-${number}` ? reply : created)(sent, signal);

async function* from<Item>(items: readonly Item[], onTake: () => void = () => {}): AsyncGenerator<Item> {
  for (const item of items) {
    onTake();
    yield item;
  }
}

describe('sending many claims', () => {
  it.each([
    ['an array', claims(30)],
    ['a set', new Set(claims(30))],
    ['an async iterable', from(claims(30))],
  ])('from %s yields an outcome for each, in its order', async (_, input) => {
    const late: Reply = async (sent, signal) => {
      const turns = 300 - 10 * Number(externalId(sent).slice(4));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      return created(sent, signal);
    };
    const { client } = createTestClient([late]);
    const outcomes = await collect(client.claims.sendMany(input));
    expect(brief(outcomes)).toEqual(Array.from({ length: 30 }, (_, i) => `${i} EXT-${i} sent`));
    expect(outcomes.map((one) => one.status === 'sent' && one.claim.external_id)).toEqual(
      claims(30).map(({ external_id }) => external_id),
    );
  });

  it('passes the hooks, and keeps at most ten claims in flight by default', async () => {
    const { slow, most } = countingInFlight(created);
    const { client } = createTestClient([...Array<Reply>(29).fill(slow), unreachable, slow]);
    const recorded: Record<string, number> = {};
    const note = (name: string) => () => {
      recorded[name] = (recorded[name] ?? 0) + 1;
    };
    const hooks = { onRequest: note('requests'), onResponse: note('responses'), onRetry: note('retries') };
    const idempotencyKey = ({ external_id }: NewClaim) => external_id;
    await collect(client.claims.sendMany(claims(30), { ...hooks, idempotencyKey }));
    expect([most(), recorded]).toEqual([10, { requests: 31, responses: 30, retries: 1 }]);
  });

  it('takes only as many claims as are in flight', async () => {
    let taken = 0;
    const { client } = createTestClient([created]);
    const outcomes = client.claims.sendMany(
      from(claims(50), () => {
        taken += 1;
      }),
      { concurrency: 3 },
    );
    for (let yielded = 0; yielded < 10; yielded++) {
      await outcomes.next();
      expect(taken - yielded).toBeLessThanOrEqual(4);
    }
    await outcomes.return();
  });

  it('yields outcomes while the source has no next claim yet', async () => {
    let provide: (value: NewClaim) => void = () => {};
    const { client } = createTestClient([created]);
    const waiting = (async function* () {
      yield claim(0);
      yield await new Promise<NewClaim>((resolve) => {
        provide = resolve;
      });
    })();
    const outcomes = client.claims.sendMany(waiting);
    expect((await outcomes.next()).value).toMatchObject({ index: 0, status: 'sent' });
    const next = outcomes.next();
    provide(claim(1));
    expect((await next).value).toMatchObject({ index: 1, status: 'sent' });
    expect((await outcomes.next()).done).toBe(true);
  });

  it('again has the same idempotency keys, unless the content has changed', async () => {
    const keys: (string | null)[][] = [];
    for (const change of [{}, {}, { file_number: 'FN-1' }]) {
      const { client, sent } = createTestClient([created]);
      await collect(client.claims.sendMany(claims(3).map((one) => ({ ...one, ...change }))));
      // Keys are digests, which may finish in any order.
      keys.push(sent.map(({ headers }) => headers.get('idempotency-key')).sort());
    }
    const [first, second, changed] = keys;
    expect(new Set(first).size).toBe(3);
    expect(second).toEqual(first);
    expect(changed?.filter((key) => first?.includes(key))).toEqual([]);
  });

  it('uses the idempotency keys of the caller', async () => {
    const { client, sent } = createTestClient([created]);
    const idempotencyKey = async ({ external_id }: NewClaim, index: number) => `${external_id}/${index}`;
    await collect(client.claims.sendMany(claims(2), { idempotencyKey }));
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['EXT-0/0', 'EXT-1/1']);
  });

  it('recognizes claims that were sent before, by the replay or by their content', async () => {
    const replayed = json({ ...response, ...claim(0) }, 201, { 'Idempotent-Replayed': 'true' });
    const stored = storedClaim(1);
    const { client } = createTestClient([
      replayed,
      problem(409, 'duplicate_claim', { existing_claim_id: 'id-1' }),
      json({ ...stored, id: 'id-1' }),
      problem(409, 'duplicate_claim', { existing_claim_id: 'id-2' }),
      json({ ...stored, id: 'id-2' }),
      problem(409, 'duplicate_claim', { existing_claim_id: 'id-3' }),
      problem(404, 'not_found'),
    ]);
    const outcomes = await collect(client.claims.sendMany(claims(4), { concurrency: 1 }));
    expect(brief(outcomes)).toEqual([
      ...['0 EXT-0 already_sent', '1 EXT-1 already_sent', '2 EXT-2 failed', '3 EXT-3 failed'],
    ]);
    expect(outcomes[1]).toMatchObject({ claim: { id: 'id-1' } });
    expect(outcomes[2]).toMatchObject({ error: { code: 'duplicate_claim', existingClaimId: 'id-2' } });
  });

  it('looks a claim up that was sent before with the options of the call, and no longer than the call', async () => {
    const duplicate = problem(409, 'duplicate_claim', { existing_claim_id: 'id-0' });
    const stored = json({ ...storedClaim(0), id: 'id-0' });
    const once = createTestClient([duplicate, unreachable, stored]).client;
    const outcomes = await collect(once.claims.sendMany(claims(1), { maxRetries: 0 }));
    expect(brief(outcomes)).toEqual(['0 EXT-0 failed']);
    const controller = new AbortController();
    const reason = new Error('stop');
    const lookUp: Reply = (sent, signal) => {
      queueMicrotask(() => controller.abort(reason));
      return stall(sent, signal);
    };
    const { client, now } = createTestClient([duplicate, lookUp]);
    const sending = collect(client.claims.sendMany(claims(1), { signal: controller.signal }));
    expect([await failureOf(sending), now()]).toEqual([reason, START]);
  });

  it.each<[SendOutcome['status'], string, ...Reply[]]>([
    ['already_sent', 'a 429, which creates nothing', problem(429, 'rate_limited')],
    ['already_sent', 'a 425, which creates nothing', problem(425, 'too_early')],
    ['sent', 'a lost response, whose attempt may have created the claim', unreachable],
    ['sent', 'a 503, whose attempt may have created the claim', problem(503, 'service_unavailable')],
    ['sent', 'a lost response and a 429', unreachable, problem(429, 'rate_limited')],
  ])('reports a replay as %s after %s', async (status, _, ...replies) => {
    const replay = json({ ...response, ...claim(0) }, 201, { 'Idempotent-Replayed': 'true' });
    const { client } = createTestClient([...replies, replay]);
    expect(brief(await collect(client.claims.sendMany(claims(1))))).toEqual([`0 EXT-0 ${status}`]);
  });

  it.each([
    [400, 'malformed_request'],
    [408, 'malformed_request'],
    [409, 'duplicate_claim'],
    [413, 'payload_too_large'],
    [422, 'validation_failed'],
    [425, 'too_early'],
  ])('continues after a claim that fails with %d', async (status, code) => {
    const { client } = createTestClient([except(2, problem(status, code))], { maxRetries: 0 });
    const outcomes = await collect(client.claims.sendMany(claims(5)));
    expect(outcomes.map(({ status }) => status)).toEqual(['sent', 'sent', 'failed', 'sent', 'sent']);
    expect(outcomes[2]).toMatchObject({ error: { code } });
  });

  it.each([
    ['an invalid key', problem(401, 'invalid_key')],
    ['a missing permission', problem(403, 'insufficient_scope')],
    ['an unavailable service', problem(503, 'service_unavailable')],
    ['another address', problem(404, 'not_found')],
    ['a rate limit', problem(429, 'rate_limited')],
    ['no connection', unreachable],
  ])('stops after %s, with the outcomes of the claims that were taken', async (_, reply) => {
    const { client, sent } = createTestClient([except(2, reply)], { maxRetries: 0 });
    const outcomes: SendOutcome[] = [];
    const error = await failureOf(
      (async () => {
        for await (const one of client.claims.sendMany(claims(50), { concurrency: 2 })) outcomes.push(one);
      })(),
    );
    expect(outcomes.slice(0, 3).map(({ status }) => status)).toEqual(['sent', 'sent', 'failed']);
    expect(outcomes.slice(3).map(({ status }) => status)).toEqual(outcomes.slice(3).map(() => 'sent'));
    expect(outcomes).toHaveLength(sent.length);
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(outcomes[2]).toMatchObject({ error });
  });

  it('throws the first of several errors, and one of a key that cannot be made', async () => {
    const failing: Reply = (sent, signal) => problem(401, `no_${externalId(sent)}`)(sent, signal);
    const { client } = createTestClient([failing]);
    const idempotencyKey = ({ external_id }: NewClaim) => external_id;
    const sending = collect(client.claims.sendMany(claims(2), { idempotencyKey }));
    expect(await failureOf(sending)).toMatchObject({ code: 'no_EXT-0' });
    const outcomes = client.claims.sendMany(claims(1), {
      idempotencyKey: () => Promise.reject(new Error('no key')),
    });
    expect(await failureOf(outcomes.next())).toMatchObject({ message: 'no key' });
  });

  it('is canceled before its first claim, and while the source has no next one', async () => {
    const { client, sent } = createTestClient([created]);
    const reason = new Error('stop');
    const aborted = client.claims.sendMany(claims(3), { signal: AbortSignal.abort(reason) });
    expect(await failureOf(aborted.next())).toBe(reason);
    expect(sent).toEqual([]);
    const controller = new AbortController();
    const waiting = (async function* () {
      yield claim(0);
      await new Promise(() => {});
    })();
    const outcomes = client.claims.sendMany(waiting, { signal: controller.signal });
    await outcomes.next();
    const next = failureOf(outcomes.next());
    controller.abort(reason);
    expect(await next).toBe(reason);
  });

  it('throws an error of the source, and closes a source when the loop is left', async () => {
    const { client } = createTestClient([created]);
    const broken = (async function* () {
      yield claim(0);
      throw new Error('no disk');
    })();
    expect(await failureOf(collect(client.claims.sendMany(broken)))).toMatchObject({ message: 'no disk' });
    let closed = false;
    const source = (async function* () {
      try {
        for (const one of claims(50)) yield one;
      } finally {
        await new Promise((resolve) => setImmediate(resolve));
        closed = true;
      }
    })();
    for await (const _ of client.claims.sendMany(source, { concurrency: 1 })) break;
    expect(closed).toBe(true);
  });

  it('cancels the calls in flight when the loop is left', async () => {
    const signals: AbortSignal[] = [];
    const reply: Reply = async (request, signal) => {
      if (externalId(request) !== 'EXT-0') {
        signals.push(signal);
        return stall(request, signal);
      }
      while (signals.length < 2) await new Promise((resolve) => setImmediate(resolve));
      return created(request, signal);
    };
    const { client, pendingTimers } = createTestClient([reply], { timeoutMs: 0, deadlineMs: 0 });
    for await (const _ of client.claims.sendMany(claims(5), { concurrency: 3 })) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(pendingTimers()).toBe(0);
  });

  it('is canceled by its signal, with the outcomes that are known, also where the reason is an error of the service', async () => {
    const controller = new AbortController();
    const { client, sent } = createTestClient([except(1, stall)]);
    const outcomes: SendOutcome[] = [];
    const options = {
      concurrency: 3,
      signal: controller.signal,
      onResponse: () => void setImmediate(() => controller.abort(new ClaimsError('stop', 1))),
    };
    const sending = (async () => {
      for await (const one of client.claims.sendMany(claims(9), options)) outcomes.push(one);
    })();
    expect(await failureOf(sending)).toMatchObject({ message: 'stop' });
    expect(brief(outcomes)).toContain('0 EXT-0 sent');
    expect(outcomes.map(({ index }) => index)).not.toContain(1);
    expect(sent.length).toBeLessThan(9);
  });

  it('adds one listener to its signal, however many calls are in flight', async () => {
    const { signal } = new AbortController();
    const listeners: number[] = [];
    const counting: Reply = (sent, call) => {
      listeners.push(getEventListeners(signal, 'abort').length);
      return created(sent, call);
    };
    const { client } = createTestClient([counting]);
    await collect(client.claims.sendMany(claims(40), { concurrency: 20, signal }));
    expect(new Set(listeners)).toEqual(new Set([1]));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it.each([0, 1.5, Number.NaN])('with a concurrency of %d is a TypeError', async (concurrency) => {
    const { client } = createTestClient([created]);
    expect(await failureOf(collect(client.claims.sendMany(claims(1), { concurrency })))).toBeInstanceOf(
      TypeError,
    );
  });
});
