import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecrets } from '@svc/adapter-credentials';
import { asciiJson } from '@svc/api/tooling';
import { summaryOf } from '@svc/application';
import { type ClaimAsSent, carrierNameKey } from '@svc/domain';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { stringify as uuidText, v7 as uuidV7 } from 'uuid';
import { generateClaim } from '../generate/claim.ts';
import { say } from '../services/command.ts';
import { withClient } from '../services/postgres.ts';
import type { BenchRequest } from './connection.ts';

/** The measured request paths. */
export const PATHS = ['get', 'page', 'send', 'accept'] as const;
export type Path = (typeof PATHS)[number];
/** `poll` requests the ten latest changes, as a polling firm does. */
export type Kind = Path | 'poll' | 'close';
export const EXPECTED: Readonly<Record<Kind, number>> = {
  ...{ get: 200, page: 200, poll: 200, send: 201, accept: 200, close: 200 },
};

export interface Firm {
  readonly id: string;
  readonly key: string;
  readonly adjuster: string;
  readonly session: string;
  readonly claims: ClaimIds;
}

const UUID_BYTES = 16;

/** As bytes: ten million ids as strings take 1 GB, which the database needs for its claims. */
class ClaimIds {
  #bytes = Buffer.alloc(0);
  length = 0;

  reserve(count: number): void {
    const bytes = Buffer.alloc((this.length + count) * UUID_BYTES);
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
  }

  /** Adds an id of this time, in milliseconds; there must be space for it. */
  add(msecs: number): string {
    uuidV7({ msecs }, this.#bytes, this.length * UUID_BYTES);
    this.length += 1;
    return this.at(this.length - 1);
  }

  at(index: number): string {
    return uuidText(this.#bytes, index * UUID_BYTES);
  }
}

export interface BenchData {
  readonly firms: readonly Firm[];
  /** Returns the requests of a path, one per call. */
  requests(path: Kind): () => BenchRequest;
}

/** Pending offers per firm for the acceptance path; reset before each round. */
const OFFERS_PER_FIRM = 400;
const DAY_MS = 86_400_000;
const PROGRESS_ROWS = 100_000;
const START = Date.parse('2025-01-01T00:00:00Z');
const DAYS = 300;

const secrets = createSecrets(new Uint8Array(32));

/**
 * Fills an empty database with firms, each with a key without limits, an adjuster, a session and as many claims.
 * @param wanted.sizes number of claims of the first firms, if it differs from the average.
 * @param wanted.offersPerFirm how many of a firm's oldest claims are pending offers; the others are accepted.
 */
export async function loadData(
  url: string,
  wanted: {
    firms: number;
    rows: number;
    sizes?: readonly number[];
    offersPerFirm?: number;
  },
): Promise<BenchData> {
  const { offersPerFirm = OFFERS_PER_FIRM } = wanted;
  return withClient(url, async (client) => {
    const firms: Firm[] = [];
    for (let i = 0; i < wanted.firms; i += 1) firms.push(await addFirm(client, i));
    await client.query('UPDATE registry_version SET version = version + 1');
    const sizes = wanted.sizes ?? [];
    const share = Math.ceil(wanted.rows / wanted.firms);
    const counts = firms.map((_, i) => sizes[i] ?? share);
    const copy = (): Promise<void> => copyClaims(client, firms, counts, offersPerFirm);
    await (wanted.rows < BULK ? copy() : withoutIndexes(client, copy));
    await client.query(
      `UPDATE firm_feeds f SET last_stamp = m.stamp FROM (SELECT firm_id, max(updated_at) AS stamp FROM claims GROUP BY 1) m
        WHERE m.firm_id = f.firm_id`,
    );
    say('Gathering statistics …');
    await client.query('VACUUM ANALYZE');
    return { firms, requests: (path) => requestsOf(path, firms) };
  });
}

async function addFirm(client: pg.Client, number: number): Promise<Firm> {
  const id = randomUUID();
  const key = secrets.issue('live_key');
  const session = secrets.issue('app_session');
  const adjuster = `BENCH-${number}`;
  await client.query(
    'INSERT INTO firms (id, name, plan, requests_per_minute, writes_per_minute, burst, created_at) VALUES ($1, $2, $3, 1000000, 1000000, 1000000, now())',
    [id, `Firm ${number}`, 'standard'],
  );
  await client.query('INSERT INTO firm_feeds (firm_id, last_stamp) VALUES ($1, to_timestamp(0))', [id]);
  await client.query(
    `INSERT INTO api_keys (id, firm_id, environment, purpose, secret_hash, created_at) VALUES ($1, $2, 'live', 'full_access', $3, now())`,
    [`key_${number}`, id, key.hash],
  );
  await client.query(
    `INSERT INTO adjusters (svc_id, first_name, last_name, email, email_key) VALUES ($1, 'Jean', 'Delacroix', $2, $2)`,
    [adjuster, `bench-${number}@example.com`],
  );
  await client.query(
    `INSERT INTO memberships (firm_id, svc_id, status, first_known_at, can_accept_claims, accepting_assignments) VALUES ($1, $2, 'active', now(), true, true)`,
    [id, adjuster],
  );
  await client.query(
    `INSERT INTO sessions (token_hash, id, svc_id, created_at, last_used_at, expires_at, ends_at, method)
       VALUES ($1, gen_random_uuid(), $2, now(), now(), now() + interval '90 days', now() + interval '90 days', 'code')`,
    [session.hash, adjuster],
  );
  return { id, key: key.secret, adjuster, session: session.secret, claims: new ClaimIds() };
}

/** Above this, creating indexes after loading is faster. */
const BULK = 100_000;
/** Generated claims; all others are copies with their own numbers. */
const ORIGINALS = 20_000;

const EXTERNAL_ID = 'THE-EXTERNAL-ID';
const CLAIM_NUMBER = 'THE-CLAIM-NUMBER';
const ADJUSTER = 'THE-ADJUSTER';

/** A text, split at the names of the values that differ between its copies: every second piece is one. */
const split = (text: string): readonly string[] =>
  text.split(new RegExp(`(${EXTERNAL_ID}|${CLAIM_NUMBER}|${ADJUSTER})`));
const fill = (pieces: readonly string[], values: Readonly<Record<string, string>>): string =>
  pieces.map((piece, i) => (i % 2 === 0 ? piece : (values[piece] ?? ''))).join('');
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A COPY line, split at the values that differ between copies. */
function original(index: number) {
  const { adjuster_svc_id: _, ...made } = generateClaim(index, 1);
  const content = { ...made, external_id: EXTERNAL_ID, claim_number: CLAIM_NUMBER };
  const document = asciiJson({ ...content, loss: { ...content.loss, peril: 'flood' } });
  return {
    carrierKey: cell(carrierNameKey(content.carrier.name)),
    carrier: cell(asciiJson(content.carrier)),
    summary: cell(asciiJson(summaryOf(document as string as ClaimAsSent))),
    document: split(cell(document)),
  };
}

async function copyClaims(
  client: pg.Client,
  firms: readonly Firm[],
  counts: readonly number[],
  offersPerFirm: number,
): Promise<void> {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const originals = Array.from({ length: Math.min(rows, ORIGINALS) }, (_, i) => original(i));
  let done = 0;
  function* lines(): Generator<string> {
    let batch = '';
    for (const [number, firm] of firms.entries()) {
      const count = counts[number] ?? 0;
      firm.claims.reserve(count);
      for (let i = 0; i < count; i += 1, done += 1) {
        const { carrierKey, carrier, summary, document } = originals[done % ORIGINALS] as ReturnType<
          typeof original
        >;
        // Time-ordered ids, as the service creates them.
        const at = START + Math.floor((i / count) * DAYS * DAY_MS) + (i % 997);
        const id = firm.claims.add(at);
        const time = new Date(at).toISOString();
        const numbers: Record<string, string> = {
          [EXTERNAL_ID]: `EXT-${done}`,
          [CLAIM_NUMBER]: `CLM-${done}`,
        };
        const text = fill(document, numbers);
        const pending = i < offersPerFirm;
        batch +=
          `${firm.id},${id},live,${numbers[EXTERNAL_ID]},${numbers[CLAIM_NUMBER]},${carrierKey},${carrier},${summary},${text},` +
          `${pending ? 'pending_acceptance' : 'accepted'},${firm.adjuster},${time},${pending ? '' : time},${time},${time}\n`;
        if (batch.length > 250_000) {
          yield batch;
          batch = '';
        }
        if ((done + 1) % PROGRESS_ROWS === 0) say(`Loaded ${done + 1} of ${rows} claims`);
      }
    }
    yield batch;
  }
  const sink = client.query(
    copyStreams.from(`COPY claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, summary, document,
      status, adjuster_svc_id, offered_at, responded_at, created_at, updated_at) FROM STDIN WITH (FORMAT csv)`),
  );
  await pipeline(Readable.from(lines()), sink);
}

/** Drops the indexes of claims, and creates them again after the work. */
async function withoutIndexes(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows: keys } = await client.query<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE conrelid = 'claims'::regclass AND contype IN ('p', 'u')`,
  );
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = 'claims' AND indexname <> ALL ($1)`,
    [keys.map(({ name }) => name)],
  );
  for (const { name } of keys) await client.query(`ALTER TABLE claims DROP CONSTRAINT ${name}`);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await work();
  await client.query("SET maintenance_work_mem = '1GB'");
  const again = [
    ...keys.map(({ name, definition }) => [name, `ALTER TABLE claims ADD CONSTRAINT ${name} ${definition}`]),
    ...indexes.map(({ name, definition }) => [name, definition]),
  ] as const;
  for (const [i, [name, statement]] of again.entries()) {
    say(`Indexing: ${name} (${i + 1} of ${again.length})`);
    await client.query(statement ?? '');
  }
}

const timeOf = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** Resets the offers that the acceptance path has accepted. */
export const reopenOffers = (url: string): Promise<unknown> =>
  withClient(url, async (client) => {
    await client.query(
      `UPDATE claims SET status = 'pending_acceptance', responded_at = NULL
        WHERE status = 'accepted' AND adjuster_svc_id LIKE 'BENCH-%' AND updated_at > now() - interval '1 day'`,
    );
    await client.query('VACUUM ANALYZE claims');
  });

/** Waits until the service has run all jobs: those of one subject must not cost the next one. */
export const jobsDone = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    const due = 'SELECT 1 FROM jobs WHERE run_at <= now() LIMIT 1';
    while ((await client.query(due)).rows.length > 0) await sleep(50);
  });

const indexIn = ({ length }: { readonly length: number }): number => Math.floor(Math.random() * length);
const pick = <T>(list: readonly T[]): T => list[indexIn(list)] as T;

let sent = 0;

const SENT_ORIGINALS = 500;
const sentBody = (index: number): readonly string[] =>
  split(
    JSON.stringify({
      ...generateClaim(index, 2),
      external_id: EXTERNAL_ID,
      claim_number: CLAIM_NUMBER,
      adjuster_svc_id: ADJUSTER,
    }),
  );

export function requestsOf(path: Kind, firms: readonly Firm[]): () => BenchRequest {
  if (path === 'get') {
    return () => {
      const firm = pick(firms);
      return {
        method: 'GET',
        path: `/v1/claims/${firm.claims.at(indexIn(firm.claims))}`,
        headers: bearer(firm.key),
      };
    };
  }
  if (path === 'poll') {
    return () => {
      const firm = pick(firms);
      const since = new Date(timeOf(firm.claims.at(Math.max(0, firm.claims.length - 10)))).toISOString();
      return { method: 'GET', path: `/v1/claims?limit=10&updated_since=${since}`, headers: bearer(firm.key) };
    };
  }
  if (path === 'page') {
    return () => {
      const firm = pick(firms);
      const since = new Date(START + Math.floor(Math.random() * 200 * DAY_MS)).toISOString();
      return { method: 'GET', path: `/v1/claims?limit=50&updated_since=${since}`, headers: bearer(firm.key) };
    };
  }
  if (path === 'send') {
    // Not generated during the measurement: that takes as much processor time as a tenth of a send.
    const bodies = Array.from({ length: SENT_ORIGINALS }, (_, i) => sentBody(i));
    return () => {
      const firm = pick(firms);
      sent += 1;
      const unique = `${process.pid}-${sent}`;
      const numbers = { [EXTERNAL_ID]: `SENT-${unique}`, [CLAIM_NUMBER]: `SENT-${unique}` };
      const body = fill(pick(bodies), { ...numbers, [ADJUSTER]: firm.adjuster });
      const headers = { ...bearer(firm.key), 'content-type': 'application/json', 'idempotency-key': unique };
      return { method: 'POST', path: '/v1/claims', headers, body };
    };
  }
  // Each offer once, so that no two requests accept the same claim.
  let next = 0;
  return () => {
    const firm = firms[next % firms.length] as Firm;
    const offers = Math.min(OFFERS_PER_FIRM, firm.claims.length);
    const claim = firm.claims.at(Math.floor(next / firms.length) % offers);
    next += 1;
    const action = path === 'close' ? 'closure' : 'acceptance';
    return { method: 'POST', path: `/app/v1/claims/${claim}/${action}`, headers: bearer(firm.session) };
  };
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
