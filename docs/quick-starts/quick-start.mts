// Sends a claim, polls for the adjuster's response, and offers the claim to another adjuster after a rejection.
// Node 20 or later, without dependencies. Run with a test key:
// CLAIMS_URL=... CLAIMS_API_KEY=... npx tsx quick-start.mts (Node 22.18 or later: node quick-start.mts)

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const URL = (process.env.CLAIMS_URL ?? '').replace(/\/+$/, '');
const KEY = process.env.CLAIMS_API_KEY ?? '';
const POLL_SECONDS = 2; // for a test; 60 or more in production
const POSITION_FILE = 'position.txt';

interface Claim {
  id: string;
  external_id: string;
  created_at: string;
  updated_at: string;
  assignment: { status: string; adjuster_svc_id: string; rejection_reason: string | null };
}

interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** The request is wrong, and would be wrong again. */
class RequestError extends Error {}

/** Sends a request and retries it with the same Idempotency-Key, so that nothing is done twice. */
async function call<Result>(
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey?: string,
): Promise<Result> {
  const headers: Record<string, string> = { Authorization: `Bearer ${KEY}`, Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  for (let attempt = 0; ; attempt++) {
    let waitSeconds = 0;
    let problem: string;
    try {
      const signal = AbortSignal.timeout(30_000);
      const init = { method, headers, signal, body: body === undefined ? null : JSON.stringify(body) };
      const response = await fetch(URL + path, init);
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Result;
      problem = `${method} ${path}: ${response.status} ${text}`;
      if (response.status < 500 && ![408, 425, 429].includes(response.status))
        throw new RequestError(problem);
      waitSeconds = requestedWait(response);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      problem = `${method} ${path}: ${error}`; // a lost connection
    }
    if (attempt === 7) throw new Error(problem);
    await sleep((waitSeconds + Math.random() * Math.min(30, 0.5 * 2 ** attempt)) * 1000);
  }
}

/** Seconds to wait. Retry-After is a number; from a gateway also a date, or sent twice ("5, 5"). */
function requestedWait({ status, headers }: Response): number {
  const value = headers.get('retry-after') ?? '';
  const seconds = /^\d/.test(value) ? Number.parseInt(value, 10) : (Date.parse(value) - Date.now()) / 1000;
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  // A 429 without Retry-After comes from a proxy in front of the API and lasts a minute.
  return status === 429 ? 60 : 0;
}

/** The SVCID of the firm's test account with this behavior, such as accepts. */
async function testAccount(behavior: string): Promise<string> {
  const adjusters = await call<Page<{ svc_id: string }>>('GET', '/v1/adjusters?limit=200');
  const found = adjusters.data.find(
    ({ svc_id }) => /^test_.*_/.test(svc_id) && svc_id.endsWith(`_${behavior}`),
  );
  if (found === undefined) throw new Error(`no test account ${behavior}`);
  return found.svc_id;
}

const sendClaim = (externalId: string, adjuster: string): Promise<Claim> =>
  call<Claim>(
    'POST',
    '/v1/claims',
    {
      external_id: externalId,
      claim_number: `FL-${externalId}`,
      adjuster_svc_id: adjuster,
      loss: { date: '2026-08-27' },
      policy: { number: '87-4410029317-2025' },
      carrier: { name: 'Palmetto Mutual Insurance' },
      loss_location: { street: '88 Mangrove Court', city: 'Sanibel', state: 'FL', zip: '33957' },
      policyholder: { company_name: 'Gulf Shore Rentals LLC', phone: '239-555-0163' },
    },
    // Derived from your own id, so that a restarted program repeats the same request.
    `send-${externalId}`,
  );

const offerAgain = (claim: Claim, adjuster: string): Promise<Claim> =>
  call<Claim>(
    'POST',
    `/v1/claims/${claim.id}/assignment`,
    { adjuster_svc_id: adjuster },
    `offer-${claim.id}-${claim.updated_at}`, // one offer for each rejection
  );

/** Yields every change once, and saves the position after each page that was processed. */
async function* changes(position: string): AsyncGenerator<Claim> {
  let latest = Date.parse(position);
  const seen = new Map<string, string>();
  for (;;) {
    const query = new URLSearchParams({
      updated_since: new Date(latest - 60_000).toISOString(),
      limit: '200',
    });
    for (;;) {
      const page = await call<Page<Claim>>('GET', `/v1/claims?${query}`);
      for (const claim of page.data) {
        if (seen.get(claim.id) === claim.updated_at) continue;
        yield claim;
        seen.set(claim.id, claim.updated_at);
        latest = Math.max(latest, Date.parse(claim.updated_at));
      }
      // Replaces the file at once: a program that is killed leaves no half of a position.
      writeFileSync(`${POSITION_FILE}.new`, new Date(latest).toISOString());
      renameSync(`${POSITION_FILE}.new`, POSITION_FILE);
      if (page.next_cursor === null) break;
      query.set('cursor', page.next_cursor);
    }
    await sleep(POLL_SECONDS * 1000);
  }
}

const [rejects, accepts] = [await testAccount('rejects'), await testAccount('accepts')];
const sent = await sendClaim(`QS-TS-${Date.now()}`, rejects);
console.log(`sent ${sent.external_id}`);
// The first start is before the first change.
const position = existsSync(POSITION_FILE) ? readFileSync(POSITION_FILE, 'utf8') : sent.created_at;
for await (const claim of changes(position)) {
  const { status, rejection_reason: reason } = claim.assignment;
  console.log([status, claim.external_id, reason ?? ''].join(' ').trim());
  try {
    if (status === 'rejected') await offerAgain(claim, accepts);
  } catch (error) {
    // One claim must not stop the others: tell a person, and go on.
    if (!(error instanceof RequestError)) throw error;
    console.error(`not offered again: ${claim.external_id} ${error.message}`);
  }
  if (status === 'accepted' && claim.id === sent.id) break;
}
