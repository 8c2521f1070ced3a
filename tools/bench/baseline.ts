// The baseline: the measured operations written by hand without framework or layers. It does the same work on the same
// tables and returns the same responses: cached key check, a rate limiter with the same two buckets, prepared statements,
// objects built from rows and written with JSON.stringify.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { endpoints, parseRequest, type SendClaimBody } from '@svc/contract';
import canonicalize from 'canonicalize';
import { Redis, type Result } from 'ioredis';
import pg from 'pg';

const { DATABASE_URL = '', REDIS_URL = '', HOST = '', PORT = '' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString());

/** One call per request, as a limiter is written by hand; the service puts those of one tick together. */
const redis = new Redis(REDIS_URL, { enableAutoPipelining: true });
redis.defineCommand('consume', {
  numberOfKeys: 1,
  lua: `
    local requests_per_minute, writes_per_minute, burst, write = unpack(ARGV)
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local stored = redis.call('HMGET', KEYS[1], 'at', 'requests', 'writes')
    local elapsed = math.max(0, now - (tonumber(stored[1]) or now))
    local requests = math.max(0, (tonumber(stored[2]) or 0) - elapsed * requests_per_minute)
    local writes = math.max(0, (tonumber(stored[3]) or 0) - elapsed * writes_per_minute)
    if math.max(requests, write == '1' and writes or 0) + 60000 > burst * 60000 then return 0 end
    requests = requests + 60000
    if write == '1' then writes = writes + 60000 end
    redis.call('HSET', KEYS[1], 'at', now, 'requests', requests, 'writes', writes)
    redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(requests / requests_per_minute, writes / writes_per_minute)))
    return 1`,
});
declare module 'ioredis' {
  interface RedisCommander<Context> {
    consume(key: string, ...limits: number[]): Result<number, Context>;
  }
}

/** Of an adjuster's entries: dates and notes. */
const versionOf = (entries: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(entries)).digest('base64url').slice(0, 16);

interface Key {
  id: string;
  firm_id: string;
  environment: 'live' | 'test';
  requests_per_minute: number;
  writes_per_minute: number;
  burst: number;
}
const keys = new Map<string, { key: Key; until: number }>();

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function keyOf(token: string): Promise<Key | null> {
  const hash = sha256(token);
  const cached = keys.get(hash);
  if (cached !== undefined && cached.until > Date.now()) return cached.key;
  const { rows } = await pool.query<Key>({
    name: 'key',
    text: `SELECT k.id, k.firm_id, k.environment, f.requests_per_minute, f.writes_per_minute, f.burst
             FROM api_keys k JOIN firms f ON f.id = k.firm_id WHERE k.secret_hash = $1 AND k.revoked_at IS NULL`,
    values: [hash],
  });
  const key = rows[0];
  if (key === undefined) return null;
  keys.set(hash, { key, until: Date.now() + 1000 });
  return key;
}

interface Row {
  id: string;
  environment: string;
  created_at: string;
  updated_at: string;
  status: string;
  adjuster_svc_id: string;
  responded_at: string | null;
  rejection_reason: string | null;
  document: Record<string, unknown>;
}

const toClaim = (row: Row) => ({
  id: row.id,
  test: row.environment === 'test',
  created_at: row.created_at,
  updated_at: row.updated_at,
  assignment: {
    status: row.status,
    adjuster_svc_id: row.adjuster_svc_id,
    responded_at: row.responded_at,
    rejection_reason: row.rejection_reason,
  },
  ...row.document,
});

const COLUMNS =
  'id, environment, created_at, updated_at, status, adjuster_svc_id, responded_at, rejection_reason, document';

const CURSOR_SECRET = 'secret of the baseline';

async function getClaim(key: Key, id: string): Promise<[number, unknown]> {
  const { rows } = await pool.query<Row>({
    name: 'get',
    text: `SELECT ${COLUMNS} FROM claims WHERE firm_id = $1 AND id = $2`,
    values: [key.firm_id, id],
  });
  return rows[0] === undefined ? [404, { code: 'not_found' }] : [200, toClaim(rows[0])];
}

async function listClaims(key: Key, search: URLSearchParams): Promise<[number, unknown]> {
  const limit = Number(search.get('limit') ?? 50);
  const { rows } = await pool.query<Row>({
    name: 'page',
    text: `SELECT ${COLUMNS} FROM claims WHERE firm_id = $1 AND updated_at >= $2 ORDER BY updated_at, id LIMIT $3`,
    values: [key.firm_id, search.get('updated_since') ?? '1970-01-01T00:00:00Z', limit + 1],
  });
  const data = rows.slice(0, limit).map(toClaim);
  const last = data.at(-1);
  let next_cursor: string | null = null;
  if (rows.length > limit && last !== undefined) {
    const payload = Buffer.from(JSON.stringify([last.updated_at, last.id])).toString('base64url');
    next_cursor = `${payload}.${createHmac('sha256', CURSOR_SECRET).update(payload).digest('base64url')}`;
  }
  return [200, { data, next_cursor }];
}

async function sendClaim(key: Key, idempotencyKey: string, body: SendClaimBody): Promise<[number, unknown]> {
  const fingerprint = sha256(`POST\n/v1/claims\n${canonicalize(body)}`);
  const { adjuster_svc_id, ...content } = body;
  const document = { ...content, loss: { ...content.loss, peril: 'flood' } };
  const id = randomUUID();
  return inTransaction(async (client) => {
    await client.query({
      name: 'idempotency',
      text: `INSERT INTO idempotency_records (firm_id, environment, key, fingerprint, claim_id, bound_at)
             VALUES ($1, $2, $3, $4, $5, now())`,
      values: [key.firm_id, key.environment, idempotencyKey, fingerprint, id],
    });
    const duplicates = await client.query({
      name: 'duplicate',
      text: `SELECT id FROM claims WHERE firm_id = $1 AND environment = $2
               AND (external_id = $3 OR (claim_number = $4 AND closed_at IS NULL)) LIMIT 1`,
      values: [key.firm_id, key.environment, body.external_id, body.claim_number],
    });
    if (duplicates.rowCount) throw new Error('duplicate');
    const members = await client.query({
      name: 'member',
      text: `SELECT 1 FROM memberships m JOIN adjusters a ON a.svc_id = m.svc_id
              WHERE m.firm_id = $1 AND m.svc_id = $2 AND m.status = 'active' AND m.can_accept_claims
                AND m.accepting_assignments FOR SHARE OF m`,
      values: [key.firm_id, adjuster_svc_id],
    });
    if (!members.rowCount) throw new Error('adjuster');
    await client.query({
      name: 'carrier',
      text: `INSERT INTO carriers AS held (firm_id, name_key, name, phone, email, address) VALUES ($1, lower($2), $2, $3, $4, $5)
             ON CONFLICT (firm_id, name_key) DO UPDATE SET phone = coalesce(held.phone, excluded.phone),
               email = coalesce(held.email, excluded.email), address = coalesce(held.address, excluded.address)`,
      values: [
        key.firm_id,
        body.carrier.name,
        body.carrier.phone ?? null,
        body.carrier.email ?? null,
        body.carrier.address === undefined ? null : JSON.stringify(body.carrier.address),
      ],
    });
    await client.query({
      name: 'job',
      // With NOTIFY, which wakes the workers of most queues.
      text: `WITH added AS (INSERT INTO jobs (payload, run_at) VALUES ($1, now())) SELECT pg_notify('jobs', '')`,
      values: [
        JSON.stringify({ kind: 'notify_offer', firmId: key.firm_id, claimId: id, svcId: adjuster_svc_id }),
      ],
    });
    const stamp = await stampOf(client, key.firm_id);
    const { rows } = await client.query<Row>({
      name: 'insert',
      text: `INSERT INTO claims (firm_id, id, environment, external_id, claim_number, carrier_key, carrier, document,
               summary, status, adjuster_svc_id, offered_at, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, lower($6), $7, $8, '{}', 'pending_acceptance', $9, $10, $10, $10) RETURNING ${COLUMNS}`,
      values: [
        key.firm_id,
        id,
        key.environment,
        body.external_id,
        body.claim_number,
        body.carrier.name,
        JSON.stringify(body.carrier),
        JSON.stringify(document),
        adjuster_svc_id,
        stamp,
      ],
    });
    return [201, toClaim(rows[0] as Row)];
  });
}

async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function stampOf(client: pg.PoolClient, firmId: string): Promise<string> {
  const { rows } = await client.query<{ last_stamp: string }>({
    name: 'stamp',
    text: `UPDATE firm_feeds SET last_stamp = greatest(now(), last_stamp + interval '1 ms') WHERE firm_id = $1 RETURNING last_stamp`,
    values: [firmId],
  });
  return rows[0]?.last_stamp ?? '';
}

interface AppRow extends Row {
  firm_id: string;
  firm_name: string;
  offered_at: string;
  closed_at: string | null;
  held: { phone: string | null; email: string | null; address: unknown } | null;
}

async function acceptClaim(token: string, id: string): Promise<[number, unknown]> {
  const sessions = await pool.query<{ svc_id: string }>({
    name: 'session',
    text: 'SELECT svc_id FROM sessions WHERE token_hash = $1 AND expires_at > now()',
    values: [sha256(token)],
  });
  const svcId = sessions.rows[0]?.svc_id;
  if (svcId === undefined) return [401, { code: 'invalid_session' }];
  return inTransaction(async (client) => {
    const locked = await client.query<{ firm_id: string; status: string }>({
      name: 'lock',
      text: `SELECT c.firm_id, c.status FROM memberships m JOIN claims c ON c.firm_id = m.firm_id AND c.id = $2
              WHERE m.svc_id = $1 AND c.adjuster_svc_id = $1 FOR UPDATE OF c`,
      values: [svcId, id],
    });
    const found = locked.rows[0];
    if (found === undefined || found.status !== 'pending_acceptance') throw new Error('not pending');
    const stamp = await stampOf(client, found.firm_id);
    await client.query({
      name: 'accept',
      text: `UPDATE claims SET status = 'accepted', responded_at = now(), updated_at = $3 WHERE firm_id = $1 AND id = $2`,
      values: [found.firm_id, id, stamp],
    });
    const { rows } = await client.query<AppRow>({
      name: 'app claim',
      text: `SELECT c.firm_id, c.id, c.environment, c.created_at, c.updated_at, c.status, c.adjuster_svc_id,
               c.responded_at, c.rejection_reason, c.document, c.offered_at, c.closed_at, f.name AS firm_name,
               CASE WHEN k.name IS NOT NULL THEN json_build_object('phone', k.phone, 'email', k.email, 'address', k.address) END AS held
               FROM claims c JOIN firms f ON f.id = c.firm_id
               LEFT JOIN carriers k ON k.firm_id = c.firm_id AND k.name_key = c.carrier_key
              WHERE c.firm_id = $1 AND c.id = $2`,
      values: [found.firm_id, id],
    });
    const row = rows[0] as AppRow;
    const carrier = row.document.carrier as Record<string, unknown>;
    const filled = { ...carrier };
    for (const [detail, value] of Object.entries(row.held ?? {})) {
      if (filled[detail] === undefined && value !== null) filled[detail] = value;
    }
    return [
      200,
      {
        ...toClaim(row),
        firm: { id: row.firm_id, name: row.firm_name },
        offered_at: row.offered_at,
        work: { version: versionOf(Array(7).fill(null)) },
        closed_at: row.closed_at,
        carrier: filled,
        coverages: { special_limits_cap: 2500, ...(row.document.coverages as object | undefined) },
      },
    ];
  });
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 1_048_576) reject(new Error('too large'));
    });
    request.on('end', () => resolve(text));
    request.on('error', reject);
  });
}

async function handle(request: IncomingMessage): Promise<[number, unknown]> {
  const token = (request.headers.authorization ?? '').replace('Bearer ', '');
  const url = new URL(request.url ?? '/', 'http://baseline');
  if (url.pathname.startsWith('/app/v1/claims/')) {
    return acceptClaim(token, url.pathname.split('/')[4] ?? '');
  }
  if (url.pathname === '/v1/health') return [200, {}];
  const key = await keyOf(token);
  if (key === null) return [401, { code: 'invalid_key' }];
  const { requests_per_minute, writes_per_minute, burst } = key;
  const limits = [requests_per_minute, writes_per_minute, burst, request.method === 'POST' ? 1 : 0];
  if ((await redis.consume(`baseline:${key.id}`, ...limits)) === 0) return [429, { code: 'rate_limited' }];
  if (request.method === 'GET') {
    const id = url.pathname.split('/')[3];
    return id === undefined ? listClaims(key, url.searchParams) : getClaim(key, id);
  }
  const parsed = parseRequest(endpoints.sendClaim, {
    headers: request.headers,
    body: JSON.parse(await readBody(request)) as unknown,
  });
  if (!parsed.ok) return [422, { code: 'validation_failed', errors: parsed.errors }];
  return sendClaim(key, parsed.value.headers['Idempotency-Key'], parsed.value.body);
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Request-Id': randomUUID(),
  });
  response.end(text);
}

const server = createServer((request, response) => {
  handle(request).then(
    ([status, body]) => respond(response, status, body),
    () => respond(response, 500, { code: 'internal_error' }),
  );
});
server.listen(Number(PORT), HOST);
