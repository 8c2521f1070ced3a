import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS, smallestClaim } from '@svc/contract';
import { strToU8, zipSync } from 'fflate';
import { isHealthy } from '../cluster/api-process.ts';
import { cpuMs } from '../services/process-usage.ts';
import type { Finding } from './finding.ts';

interface Attacker {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly key: string;
  readonly session: string;
  /** Of staff of the same firm. */
  readonly staffSession: string;
  /** The key of another firm. */
  readonly otherKey: string;
}

const CONNECTIONS = 20;
const MAX_RATIO = 20;

/** As many copies as fit into the bytes. */
const fill = (bytes: number, piece: string): string => piece.repeat(Math.floor(bytes / piece.length));
/** As many as are parsed. */
const most = (piece: (n: number) => string, each = 1): string =>
  Array.from({ length: LIMITS.bodyValues / each - 20 }, (_, n) => piece(n)).join();

/** Bodies of nearly the largest size, after a start that opens an object. */
const bodies = (start: string, bytes: number): [name: string, body: string][] => {
  const name = 'x'.repeat((bytes - 40_000) / LIMITS.bodyValues);
  const end = '}'.repeat(start.split('{').length - 1);
  const rest = bytes - start.length - 100;
  return [
    ['short members', `${start}${fill(rest, '"a":1,')}`],
    ['unknown members', `${start}${most((n) => `"${n}${name}":1`)}${end}`],
    ['the same member', `${start}${most(() => '"a":1')}${end}`],
    ['empty contacts', `${start}"additional_contacts":[${most(() => '{}', 2)}]${end}`],
    ['nested objects', `${start}"a":[${fill(rest, `${'{"a":'.repeat(50)}1${'}'.repeat(50)},`)}`],
    ['unclosed arrays', `${start}"a":${fill(rest, '[')}`],
    ['unclosed text', `${start}"external_id":"${fill(rest, 'x')}`],
    ['text for a state', `${start}"loss_location":{"state":"${fill(rest - 100, 'F ')}"}${end}`],
    ['line breaks', `${start}${fill(rest, '\n')}`],
  ];
};
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';
const relationships = (...all: readonly (readonly [type: string, target: string])[]): Uint8Array =>
  strToU8(
    `<a>${all.map(([type, to], n) => `<Relationship Id="${n}" Type="${TYPES}${type}" Target="${to}"/>`).join('')}</a>`,
  );

/** As much as is unpacked, of a sheet and of its texts. */
function workbook(rows: string, texts = ''): string {
  const bytes = zipSync({
    '_rels/.rels': relationships(['officeDocument', 'b']),
    b: strToU8('<a xmlns:r="r"><sheet name="a" r:id="0"/></a>'),
    '_rels/b.rels': relationships(['worksheet', 's'], ['sharedStrings', 't']),
    s: strToU8(
      `<a><sheetData>${fill(LIMITS.importWorkbookBytes - texts.length - 5000, rows)}</sheetData></a>`,
    ),
    t: strToU8(`<a>${texts}</a>`),
  });
  const body = { name: 'a', environment: 'test', dry_run: true };
  return JSON.stringify({ ...body, workbook: Buffer.from(bytes).toString('base64') });
}
const workbooks = (): [name: string, body: string][] => [
  ['workbooks of unknown elements', workbook('<x/>')],
  ['workbooks of dates', workbook(`<row>${'<c><v>46261.123</v></c>'.repeat(40)}</row>`)],
  ['workbooks of texts', workbook('<x/>', fill(LIMITS.importWorkbookBytes - 5000, '<si><t>a</t></si>'))],
];
const TOOL_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sendClaim","arguments":{';

/** How long another firm waits while one caller sends bodies that take long to parse and validate. */
export async function expensiveBodies(attacker: Attacker, seconds = 2): Promise<Finding[]> {
  const claims = request('POST /v1/claims', attacker.key, JSON.stringify(smallestClaim));
  const usual = await latencies(attacker, seconds, claims);
  const findings: Finding[] = [];
  for (const [line, as, sent] of [
    ['POST /v1/claims', attacker.key, bodies('{', LIMITS.bodyBytes)],
    ['PATCH /app/v1/me', attacker.session, bodies('{', LIMITS.bodyBytes)],
    ['POST /firm/v1/imports', attacker.staffSession, workbooks()],
    ['POST /mcp?allow_writes=true', attacker.key, bodies(TOOL_CALL, LIMITS.messageBytes)],
  ] as const) {
    for (const [name, body] of sent) {
      const { median, max, eachMs, statuses } = await latencies(attacker, seconds, request(line, as, body));
      findings.push({
        attack: `expensive bodies: ${CONNECTIONS} connections with ${name}, ${line}`,
        bound: `another firm waits at most ${MAX_RATIO} times as long as beside as many with claims`,
        observed: `${(median / usual.median).toFixed(1)} times: ${median.toFixed()} ms, at most ${max.toFixed()}; ${statuses}, ${eachMs.toFixed(1)} ms of processor time each`,
        holds: median <= MAX_RATIO * usual.median,
      });
    }
  }
  return findings;
}

const request = (line: string, as: string, body: string): string =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${as}`,
    'Idempotency-Key: expensive',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');

/** Of another firm's requests, in milliseconds. */
async function latencies({ url, port, pid, otherKey }: Attacker, seconds: number, text: string) {
  const bytes = Buffer.from(text);
  const counts: Record<string, number> = {};
  const before = cpuMs(pid);
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const status = /^HTTP\/1.1 (\d+)/.exec(chunk.toString('latin1', 0, 12))?.[1];
      if (status === undefined) return;
      counts[status] = (counts[status] ?? 0) + 1;
      socket.write(bytes);
    });
    socket.write(bytes);
    return socket;
  });
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(10)) {
    const from = performance.now();
    await (await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${otherKey}` } })).arrayBuffer();
    times.push(performance.now() - from);
  }
  for (const socket of sockets) socket.destroy();
  // What the process has received already is still handled.
  for (let n = 0; n < CONNECTIONS; n += 1) await isHealthy(url);
  const responses = Object.values(counts).reduce((sum, count) => sum + count, times.length);
  times.sort((a, b) => a - b);
  return {
    eachMs: (cpuMs(pid) - before) / responses,
    median: times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY,
    max: times.at(-1) ?? Number.POSITIVE_INFINITY,
    statuses: Object.entries(counts)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', '),
  };
}
