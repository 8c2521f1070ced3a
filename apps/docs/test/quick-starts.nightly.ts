// Runs the quick start programs as a reader would, through a network that loses responses.
import { execFile } from 'node:child_process';
import { cp, link, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import type { FaultKind, Readiness } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { listening } from '../../../tools/services/local-server.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import {
  claimBody,
  type ServiceUnderTest,
  sendClaim,
  startServiceUnderTest,
} from '../../api/test/service-under-test.ts';
import { installedPrograms, type Program } from './programs.ts';

const run = promisify(execFile);
const INSTALLED = installedPrograms([
  'quick_start.py',
  'quick-start.mts',
  'QuickStart.java',
  'QuickStart.cs',
]);

/** More than one page of changes, where no page is cut. */
const EARLIER_CLAIMS = 201;

let service: ServiceUnderTest;
/** The compiled programs. */
let compiled: string;
/** Errors of gateways: status and Retry-After. Null for a lost connection. */
const FAULTS: (() => readonly [number, string] | null)[] = [
  () => [503, '1'],
  () => null,
  () => [429, '1, 1'],
  () => [520, new Date(Date.now() + 1500).toUTCString()],
  () => [408, ''],
  () => [507, 'soon'],
];
/** By the key of the program. */
const requests = new Map<string, number>();

beforeAll(async () => {
  service = await startServiceUnderTest();
  compiled = temporaryFolder();
  await Promise.all(
    INSTALLED.map(async ({ language, compileIn }) => {
      await mkdir(join(compiled, language));
      await compileIn(join(compiled, language));
    }),
  );
});

async function forward(request: IncomingMessage): Promise<Response> {
  const { method = 'GET', url = '', headers } = request;
  const body = await readAll(request);
  const names = ['authorization', 'content-type', 'idempotency-key'];
  const sent = Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
  return fetch(service.url + url, {
    method,
    headers: sent as Record<string, string>,
    ...(body !== '' && { body }),
  });
}

/** Loses the response to every second request, or replaces it by an error. */
function unreliableProxy(): Server {
  return createServer(async (request, response) => {
    const { headers } = request;
    const forwarded = await forward(request);
    const text = await forwarded.text();
    const { authorization = '' } = headers;
    const earlier = requests.get(authorization) ?? 0;
    requests.set(authorization, earlier + 1);
    if (earlier % 2 === 0) return response.writeHead(forwarded.status).end(text);
    const fault = FAULTS[((earlier - 1) / 2) % FAULTS.length]?.();
    if (!fault) return request.socket.destroy();
    return response.writeHead(fault[0], { 'Retry-After': fault[1] }).end('<h1>busy</h1>');
  });
}

/** Repeats a 503, which a busy machine can cause: a claim that was never stored would look like one that was missed. */
async function store(key: string, claim: { readonly external_id: string }): Promise<void> {
  const { status } = await eventually(
    () => sendClaim(service, key, claim, `setup-${claim.external_id}`),
    (response) => response.status !== 503,
  );
  expect(status).toBe(201);
}

/** A rejected claim that cannot be offered again. */
async function rejectAndClose(key: string, externalId: string): Promise<void> {
  const list = await service.call('GET', `/v1/claims?external_id=${externalId}`, { as: key });
  for (const step of ['rejection', 'closure']) {
    const path = `/v1/test/claims/${list.json.data[0].id}/${step}`;
    expect((await service.call('POST', path, { as: key })).status).toBe(200);
  }
}

async function runQuickStarts(proxy: Server, earlierClaims: number) {
  const { url } = await listening(proxy);
  return Promise.all(INSTALLED.map((program) => runQuickStart(program, url, earlierClaims)));
}

/** Of a firm with claims that were sent before. */
async function runQuickStart({ language, command }: Program, proxyUrl: string, earlierClaims: number) {
  const folder = await mkdtemp(join(compiled, 'run-'));
  await cp(join(compiled, language), folder, { recursive: true });
  const firm = await service.firm();
  const earlier = Array.from({ length: earlierClaims }, () => claimBody(firm.account.manual));
  // What the key of the program does is checked.
  const otherKey = await service.key(firm, { environment: 'test' });
  for (let at = 0; at < earlier.length; at += 10) {
    await Promise.all(earlier.slice(at, at + 10).map((claim) => store(otherKey, claim)));
  }
  const closed = earlier[0]?.external_id ?? '';
  await rejectAndClose(otherKey, closed);
  // The position of a run before those claims. A second name of the file shows whether it is written in place.
  const time = '2026-01-01T00:00:00.000Z';
  const [position, start] =
    language === 'Python' ? ['position.json', JSON.stringify(time)] : ['position.txt', time];
  await writeFile(join(folder, position), start);
  await link(join(folder, position), join(folder, 'before'));
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, CLAIMS_URL: proxyUrl, CLAIMS_API_KEY: firm.test };
  const [program, ...args] = command;
  const { stdout, stderr } = await run(program, args, { cwd: folder, env });
  const isReplaced =
    (await readFile(join(folder, 'before'), 'utf8')) === start &&
    (await readFile(join(folder, position), 'utf8')) !== start;
  const list = await service.call('GET', '/v1/claims?limit=1&assignment_status=accepted', {
    as: otherKey,
  });
  return {
    language,
    key: firm.test,
    lines: stdout.trim().split('\n'),
    errors: stderr,
    isReplaced,
    earlier,
    closed,
    accepted: list.json.data,
  };
}

it('runs the quick starts in Python and TypeScript, and in other languages that are installed', () => {
  expect(INSTALLED.map(({ language }) => language)).toEqual(expect.arrayContaining(['Python', 'TypeScript']));
});

it('each quick start reads every change once, replaces its position, and offers again after a rejection, whatever other claims do', async () => {
  for (const { language, lines, errors, isReplaced, earlier, closed, accepted } of await runQuickStarts(
    unreliableProxy(),
    EARLIER_CLAIMS,
  )) {
    const [sent, ...changes] = lines;
    const externalId = sent?.replace('sent ', '') ?? '';
    const own = changes.filter((line) => line.includes(externalId));
    const others = changes.filter((line) => !line.includes(externalId));
    const statuses = own.map((line) => line.split(' ')[0]);
    expect({
      language,
      accepted: accepted.map((claim: { external_id: string }) => claim.external_id),
    }).toEqual({ language, accepted: [externalId] });
    // Whether a poll sees a claim while it is pending depends on its time.
    expect({ language, own: statuses.filter((status) => status !== 'pending_acceptance') }).toEqual({
      language,
      own: ['rejected', 'accepted'],
    });
    expect(own.find((line) => line.startsWith('rejected'))).toContain('Test account: rejects every offer.');
    expect({ language, others: others.sort() }).toEqual({
      language,
      others: earlier
        .map(
          ({ external_id }) => `${external_id === closed ? 'rejected' : 'pending_acceptance'} ${external_id}`,
        )
        .sort(),
    });
    expect({ language, isReplaced, errors }).toEqual({
      language,
      isReplaced: true,
      errors: expect.stringMatching(`not offered again: ${closed} .*claim_closed`),
    });
  }
  // Each program met every fault.
  const met = INSTALLED.map((_, index) => [...requests.values()][index] ?? 0);
  expect(Math.min(...met)).toBeGreaterThanOrEqual(2 * FAULTS.length);
});

/** What the sandbox simulates before a program sends its nth request of a kind. */
const SCRIPT: Readonly<Record<string, { readonly kind: FaultKind; readonly count: number }>> = {
  'GET /v1/adjusters 1': { kind: 'internal_error', count: 6 },
  'POST /v1/claims 1': { kind: 'dropped', count: 1 },
  'POST /v1/claims 2': { kind: 'rate_limited', count: 1 },
  'GET /v1/claims 1': { kind: 'short_page', count: 1 },
  // The second page, with what is new. Another poll follows, since the claim was not accepted yet.
  'GET /v1/claims 2': { kind: 'unknown_value', count: 1 },
};

/** Sets the faults of the script, and forwards everything unchanged. */
function simulatingProxy(): Server {
  const sent = new Map<string, number>();
  return createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    const as = headers.authorization?.replace('Bearer ', '') ?? '';
    const kind = `${method} ${url.split('?')[0]}`;
    const nth = (sent.get(`${as} ${kind}`) ?? 0) + 1;
    sent.set(`${as} ${kind}`, nth);
    const fault = SCRIPT[`${kind} ${nth}`];
    if (fault?.kind === 'unknown_value') {
      // So that the page has a pending claim that is new. Not graded, as in a rehearsal.
      const headers = { 'User-Agent': 'claims-rehearse/1.0', 'Idempotency-Key': 'pending' };
      const adjusters = await service.call('GET', '/v1/adjusters', {
        as,
        headers: { 'User-Agent': headers['User-Agent'] },
      });
      const manual = JSON.stringify(adjusters.json).match(/test_\w+_manual/)?.[0] ?? '';
      await service.call('POST', '/v1/claims', { as, body: claimBody(manual), headers });
    }
    if (fault !== undefined) await service.call('PUT', '/v1/test/faults', { as, body: fault });
    const forwarded = await forward(request).catch(() => null);
    if (forwarded === null) return request.socket.destroy();
    const retryAfter = forwarded.headers.get('retry-after');
    return response
      .writeHead(forwarded.status, { ...(retryAfter !== null && { 'Retry-After': retryAfter }) })
      .end(await forwarded.text());
  });
}

it('each quick start passes every check of an integration', async () => {
  const keys = (await runQuickStarts(simulatingProxy(), 2)).map(({ key }) => key);
  const openChecks = async () =>
    Promise.all(
      keys.map(async (as) => {
        const { json } = await service.call('GET', '/v1/test/readiness', { as });
        const { ready, checks } = json as Readiness;
        return { ready, open: checks.filter(({ state }) => state !== 'passed') };
      }),
    );
  // The log is written after the responses.
  const graded = await eventually(openChecks, (found) => found.every(({ ready }) => ready));
  expect(graded).toEqual(INSTALLED.map(() => ({ ready: true, open: [] })));
});
