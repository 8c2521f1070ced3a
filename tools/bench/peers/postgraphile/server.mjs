// PostGraphile over the claims table. In front of it stands what it leaves to others: the key check, and that a firm
// sees only its own claims. The latter costs least when the firm is set as a variable of known queries, as here; row
// level security would need a transaction around each query.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import ConnectionFilter from 'postgraphile-plugin-connection-filter';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const api = postgraphile(pool, 'public', {
  appendPlugins: [ConnectionFilter],
  dynamicJson: true,
  disableDefaultMutations: true,
  disableQueryLog: true,
  ignoreRBAC: true,
  retryOnInitFail: false,
});

const allowed = new Map(
  ['get', 'page'].map((name) => [name, readFileSync(new URL(`./${name}.graphql`, import.meta.url), 'utf8')]),
);
const keys = new Map();

async function firmOf(token) {
  const hash = createHash('sha256').update(token).digest('hex');
  const cached = keys.get(hash);
  if (cached !== undefined && cached.until > Date.now()) return cached.firm;
  const { rows } = await pool.query(
    'SELECT firm_id FROM api_keys WHERE secret_hash = $1 AND revoked_at IS NULL',
    [hash],
  );
  const firm = rows[0]?.firm_id;
  if (firm !== undefined) keys.set(hash, { firm, until: Date.now() + 1000 });
  return firm;
}

async function bodyOf(request) {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

function sendStatus(response, status) {
  response.writeHead(status).end();
}

async function handle(request, response) {
  const { operationName, variables } = await bodyOf(request);
  const query = allowed.get(operationName);
  if (query === undefined) return sendStatus(response, 400);
  const firmId = await firmOf((request.headers.authorization ?? '').replace(/^Bearer /, ''));
  if (firmId === undefined) return sendStatus(response, 401);
  request.body = { query, operationName, variables: { ...variables, firmId } };
  // So that it is not read again.
  request._body = true;
  api(request, response, () => sendStatus(response, 404));
}

const server = createServer((request, response) => {
  handle(request, response).catch(() => sendStatus(response, 500));
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`Listening on http://127.0.0.1:${server.address().port}\n`);
});
