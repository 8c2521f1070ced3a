import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { smallestClaim, surgeClaim } from '@svc/contract';
import {
  type Claim,
  type Client,
  type ClientOptions,
  createClient,
  type NewClaim,
  type SendOutcome,
} from '../src/index.ts';
import {
  createFirm,
  type Firm,
  type RealService,
  startLossyProxy,
  startRealService,
} from './real-service.ts';
import { collect, failureOf } from './test-client.ts';

let service: RealService;
let firm: Firm;
let proxy: Awaited<ReturnType<typeof startLossyProxy>>;
let client: Client;

beforeAll(async () => {
  service = await startRealService();
  [firm, proxy] = await Promise.all([createFirm(service), startLossyProxy(service.url)]);
  client = connect();
});

const connect = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ baseUrl: service.url, apiKey: firm.testKey, backoff: { baseMs: 20 }, ...options });

const newClaim = (behavior = 'manual'): NewClaim => ({
  ...smallestClaim,
  external_id: randomUUID(),
  claim_number: randomUUID(),
  adjuster_svc_id: firm.account(behavior),
});

describe('against the real service', () => {
  it('me returns the firm of the key, and health needs no key', async () => {
    expect(await client.me()).toMatchObject({ firm: { id: firm.id }, key: { environment: 'test' } });
    await client.health();
    await createClient({ baseUrl: service.url, apiKey: 'none' }).health();
  });

  it('a claim with many fields is sent, read and listed unchanged', async () => {
    const { adjuster_svc_id, ...fields } = { ...surgeClaim, ...newClaim(), carrier: surgeClaim.carrier };
    const wanted = { ...fields, loss: surgeClaim.loss, policy: surgeClaim.policy };
    const sent = await client.claims.send({ ...wanted, adjuster_svc_id } as unknown as NewClaim);
    expect(sent).toMatchObject({
      ...wanted,
      test: true,
      assignment: { status: 'pending_acceptance', adjuster_svc_id },
    });
    expect(await client.claims.get(sent.id)).toEqual(sent);
    expect(await collect(client.claims.list({ external_id: wanted.external_id }))).toEqual([sent]);
  });

  it('invite and withdraw succeed when their response is lost', async () => {
    const lossy = connect({ baseUrl: proxy.url });
    const invitation = { svc_id: firm.account('new'), invited_as: 'Jo', note: 'by a lossy line' };
    proxy.dropResponses(1);
    const invited = await lossy.adjusters.invite(invitation);
    expect(invited).toMatchObject({ ...invitation, status: 'pending' });
    expect(await failureOf(client.adjusters.invite(invitation))).toMatchObject({
      code: 'invitation_pending',
    });
    proxy.dropResponses(1);
    expect(await lossy.invitations.withdraw(invitation.svc_id)).toMatchObject({ status: 'withdrawn' });
    expect(await failureOf(client.invitations.withdraw(invitation.svc_id))).toMatchObject({
      code: 'not_found',
    });
  });

  it('polling yields responses of adjusters, and continues from its position', async () => {
    const since = new Date(Date.now() - 1000);
    const [yes, no] = await Promise.all([
      client.claims.send(newClaim('accepts')),
      client.claims.send(newClaim('rejects')),
    ]);
    const wanted = new Set([yes.id, no.id]);
    const learned = new Map<string, string[]>();
    let position: string | undefined;
    const onPosition = (at: string) => {
      position = at;
    };
    const signal = AbortSignal.timeout(20_000);
    for await (const claim of client.pollClaims({ since, intervalMs: 100, signal, onPosition })) {
      if (!wanted.has(claim.id)) continue;
      learned.set(claim.id, [...(learned.get(claim.id) ?? []), claim.assignment.status]);
      if ([...learned.values()].filter((statuses) => statuses.at(-1) !== 'pending_acceptance').length === 2)
        break;
    }
    expect(learned.get(yes.id)?.at(-1)).toBe('accepted');
    expect(learned.get(no.id)?.at(-1)).toBe('rejected');

    const next = await client.claims.send(newClaim());
    const changes = connect().pollClaims({ position, intervalMs: 50, overlapMs: 60_000 });
    const seen: string[] = [];
    for await (const claim of changes) {
      seen.push(claim.id);
      if (claim.id === next.id) break;
    }
    // The claim that was being processed at the break is repeated, and no older one.
    expect(seen.filter((id) => wanted.has(id)).length).toBeLessThanOrEqual(1);
  });

  it('the sandbox answers for adjusters, lets time pass, and makes requests fail', async () => {
    const own = await createFirm(service);
    const { sandbox, ...tester } = connect({ apiKey: own.testKey, maxRetries: 3 });
    const send = () =>
      tester.claims.send({ ...newClaim(), adjuster_svc_id: own.account('manual') }).then(({ id }) => id);
    const statusOf = ({ assignment }: Claim) => assignment.status;
    const accepted = await send();
    expect(statusOf(await sandbox.acceptClaim(accepted))).toBe('accepted');
    expect(statusOf(await sandbox.closeClaim(accepted))).toBe('accepted');
    expect((await sandbox.rejectClaim(await send(), { reason: 'Too far.' })).assignment).toMatchObject({
      status: 'rejected',
      rejection_reason: 'Too far.',
    });
    const svcId = own.account('new');
    for (const [end, status] of [
      ['expireInvitation', 'expired'],
      ['declineInvitation', 'declined'],
      ['acceptInvitation', 'active'],
    ] as const) {
      await tester.adjusters.invite({ svc_id: svcId });
      expect(await sandbox[end](svcId)).toMatchObject({ svc_id: svcId, status });
    }
    const manual = own.account('manual');
    for (const [stop, restart] of [
      ['pauseAdjuster', 'resumeAdjuster'],
      ['suspendAdjuster', 'reinstateAdjuster'],
    ] as const) {
      await sandbox[stop](manual);
      expect(await failureOf(send())).toMatchObject({ code: 'adjuster_not_accepting' });
      await sandbox[restart](manual);
      await send();
    }
    const pending = await send();
    expect(await sandbox.leaveFirm(manual)).toMatchObject({ svc_id: manual, status: 'left' });
    expect(statusOf(await tester.claims.get(pending))).toBe('unassigned');

    const attempts: number[] = [];
    for (const kind of ['service_unavailable', 'internal_error', 'dropped'] as const) {
      expect(await sandbox.simulateFaults({ kind, count: 2 })).toEqual({ kind, count: 2 });
      await tester.me({ onResponse: ({ attempt, status }) => status === 200 && attempts.push(attempt) });
    }
    expect(attempts).toEqual([3, 3, 3]);
    await sandbox.simulateFaults({ kind: 'internal_error', count: 100 });
    expect(await sandbox.clearFaults()).toEqual({ kind: null, count: 0 });
    await tester.me({ maxRetries: 0 });
  });

  it('sendMany sends each claim once, and nothing when it runs again', async () => {
    const claims = Array.from({ length: 30 }, () => newClaim());
    const lossy = connect({ baseUrl: proxy.url, maxRetries: 30, backoff: { baseMs: 20, maxMs: 200 } });
    proxy.dropEvery(3);
    const first = await collect(lossy.claims.sendMany(claims)).finally(() => proxy.dropEvery(0));
    expect(first.map(({ status }) => status)).toEqual(claims.map(() => 'sent'));
    const second = await collect(client.claims.sendMany(claims));
    expect(second.map(({ status }) => status)).toEqual(claims.map(() => 'already_sent'));
    const idOf = (outcome: SendOutcome) => outcome.status !== 'failed' && outcome.claim.id;
    expect(second.map(idOf)).toEqual(first.map(idOf));
  });
});
