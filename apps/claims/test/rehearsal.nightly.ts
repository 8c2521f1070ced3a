import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import {
  ClaimsApiError,
  type ClaimsError,
  type Client,
  createClient,
  type NewClaim,
  type Readiness,
} from '@svc/client';
import { READINESS_CHECKS } from '@svc/contract';
import { DEFAULT_REHEARSAL } from '@svc/sandbox';
import { createFirm, startRealService } from '../../../packages/client/test/real-service.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { jsonLines } from './environment.ts';
import { start } from './process.ts';

const service = await startRealService();
const folder = temporaryFolder();

/** How much faster than the clock the time of a rehearsal passes. Between two polls, several claims have to change. */
const SPEED = 20;
/** A minute. */
const POLL_INTERVAL_MS = 60_000 / SPEED;

/** Sends the claims of a file and offers those again that lost their adjuster. Returns the statuses that it has read. */
async function runProgram(program: Client, file: string, signal: AbortSignal): Promise<Set<string>> {
  const since = new Date(Date.now() - 60_000);
  const statuses = new Set<string>();
  const accounts = (await program.adjusters.list({ limit: 200 })).items.map(({ svc_id }) => svc_id);
  const other = (svcId: string) =>
    accounts.find((id) => id !== svcId && (id.endsWith('_accepts') || id.endsWith('_manual'))) ?? svcId;
  /** Tries another adjuster, or the same again later, as a program that runs for days would. */
  const persistently = async (first: string, act: (adjuster: string) => PromiseLike<unknown>) => {
    for (let adjuster = first; !signal.aborted; ) {
      const error = await act(adjuster).then(
        () => null,
        (reason: ClaimsError) => reason,
      );
      if (error === null) return;
      const code = error instanceof ClaimsApiError ? (error.code ?? '') : 'service';
      if (/^adjuster_/.test(code)) adjuster = other(adjuster);
      else if (/^internal|^service/.test(code)) await sleep(POLL_INTERVAL_MS);
      else return;
    }
  };
  const sending = (async () => {
    for (const claim of jsonLines(await readFile(file, 'utf8')) as unknown as NewClaim[])
      await persistently(claim.adjuster_svc_id, (adjuster_svc_id) =>
        program.claims.send(
          { ...claim, adjuster_svc_id },
          { idempotencyKey: `${claim.external_id} ${adjuster_svc_id}` },
        ),
      );
  })();
  for await (const { id, updated_at, assignment } of program.pollClaims({
    since,
    intervalMs: POLL_INTERVAL_MS,
    signal,
  })) {
    statuses.add(assignment.status);
    if (assignment.status !== 'rejected' && assignment.status !== 'unassigned') continue;
    await persistently(other(assignment.adjuster_svc_id), (adjuster_svc_id) =>
      program.claims.offer(
        id,
        { adjuster_svc_id },
        { idempotencyKey: `${id} ${updated_at} ${adjuster_svc_id}` },
      ),
    );
  }
  await sending;
  statuses.delete('simulated_new_status');
  return statuses;
}

test('after a rehearsal with its defaults, a correct program on the same key is ready', async () => {
  const own = await createFirm(service);
  const file = join(folder, 'rehearsal.jsonl');
  const ownEnv = { CLAIMS_URL: service.url, CLAIMS_API_KEY: own.testKey };
  const seconds = (DEFAULT_REHEARSAL.minutes * 60) / SPEED;
  const rehearsal = start(['rehearse', file, '--for', `${seconds}s`], { env: ownEnv });
  await rehearsal.shows(`${DEFAULT_REHEARSAL.claims} claims are in`);
  const left = new AbortController();
  // The back-off is graded in real time, and has to end before the next fault.
  const program = runProgram(
    createClient({ baseUrl: service.url, apiKey: own.testKey, backoff: { baseMs: 100 } }),
    file,
    left.signal,
  );
  const { code, stdout, stderr } = await rehearsal.ended;
  left.abort();
  const statuses = await program;
  for (const step of [
    'the responses to the next 3 writes are lost',
    '_accepts pauses',
    '_manual leaves',
    '_manual rejects',
  ])
    expect(stderr).toContain(step);
  expect([...statuses].sort()).toEqual(['accepted', 'pending_acceptance', 'rejected', 'unassigned']);
  // The page shows the period of the rehearsal.
  const [since = ''] = /(?<=\/firm#\/readiness\/)\S+/.exec(stdout) ?? [];
  expect(new Date(since).toISOString()).toBe(since);
  const { token } = await service.operator.staff(own.id, 'developer');
  const readiness = await fetch(`${service.url}/firm/v1/readiness?since=${since}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { ready, complete, checks } = (await readiness.json()) as Readiness;
  const passed = checks.flatMap(({ check, state }) => (state === 'passed' ? [check] : []));
  expect({ code, ready, complete, passed }).toEqual({
    ...{ code: 0, ready: true, complete: true },
    passed: READINESS_CHECKS,
  });
});
