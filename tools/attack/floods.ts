import { randomBytes } from 'node:crypto';
import { createSecrets } from '@svc/adapter-credentials';
import { LIMITS } from '@svc/contract';
import { isHealthy } from '../cluster/api-process.ts';
import { cpuMs, residentBytes, watchMemory } from '../services/process-usage.ts';
import { type Finding, inParallel, MAX_CPU_MS, MAX_GROWTH_BYTES } from './finding.ts';

interface Target {
  readonly url: string;
  readonly pid: number;
}

async function statusesOf(responses: Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const response of await Promise.allSettled(responses)) {
    const status = response.status === 'fulfilled' ? response.value.status : 0;
    counts[status] = (counts[status] ?? 0) + 1;
    if (response.status === 'fulfilled') await response.value.arrayBuffer().catch(() => {});
  }
  return counts;
}

const text = (counts: Readonly<Record<number, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} x ${status === '0' ? 'closed' : status}`)
    .join(', ');

/** Codes for one account and for many, from one address; none may be right, and few may be checked. */
export async function guessing({ url }: Target, email: string): Promise<Finding[]> {
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await (await post('/app/v1/sign-in-codes', { email })).arrayBuffer();
  const code = (n: number): string => String(n).padStart(6, '0');
  const tried = Array.from({ length: 300 }, (_, n) => n);
  const atOne = await inParallel(
    tried,
    10,
    async (n) => (await post('/app/v1/sessions', { email, code: code(n) })).status,
  );
  const checked = atOne.filter((status) => status === 401).length;
  const limited = atOne.filter((status) => status === 429).length;
  const opened = atOne.filter((status) => status < 400).length;
  return [
    {
      attack: 'guessing: 300 codes from one address',
      bound: 'at most 20 checked, none opens a session',
      observed: `${checked} checked, ${limited} over the limit, ${opened} opened`,
      holds: checked <= 20 && opened === 0 && checked + limited === 300,
    },
  ];
}

const secrets = createSecrets(randomBytes(32));

/** A well-formed key that nobody has, so that it is looked up. */
export const unknownKey = (): string => secrets.issue('live_key').secret;

/** Random keys, well-formed and not: each costs little, and none is valid. */
export async function wrongKeys({ url, pid }: Target, count: number): Promise<Finding> {
  const before = cpuMs(pid);
  const keys = Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? unknownKey() : `svc_live_${randomBytes(5).toString('hex')}`,
  );
  const statuses = await inParallel(keys, 20, async (key) => {
    const response = await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    return response.status;
  });
  const perRequest = (cpuMs(pid) - before) / count;
  const others = statuses.filter((status) => status !== 401).length;
  return {
    attack: `flood: ${count} wrong keys`,
    bound: `401 each, ${MAX_CPU_MS} ms each`,
    observed: `${others} other than 401, ${perRequest.toFixed(2)} ms each`,
    holds: others === 0 && perRequest <= MAX_CPU_MS,
  };
}

/** Bodies just below the largest size, with and without a key. */
export async function largeBodies({ url, pid }: Target, key: string, count: number): Promise<Finding[]> {
  const body = JSON.stringify({ padding: 'x'.repeat(LIMITS.bodyBytes - 100) });
  const send = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${url}/v1/claims`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'flood', ...headers },
      body,
    });
  const findings: Finding[] = [];
  for (const [name, headers] of [
    ['with a key', { Authorization: `Bearer ${key}` }],
    ['without a key', {}],
  ] as const) {
    const before = residentBytes(pid);
    const stopWatching = watchMemory(pid);
    const statuses = await statusesOf(Array.from({ length: count }, () => send(headers)));
    const growth = stopWatching() - before;
    const healthy = await isHealthy(url);
    findings.push({
      attack: `flood: ${count} bodies of 1 MB at once, ${name}`,
      bound: `memory grows by at most ${MAX_GROWTH_BYTES / 2 ** 20} MB; no 500; healthy`,
      observed: `${Math.round(growth / 2 ** 20)} MB; ${text(statuses)}; ${healthy ? 'healthy' : 'not healthy'}`,
      holds: growth <= MAX_GROWTH_BYTES && statuses[500] === undefined && healthy,
    });
  }
  return findings;
}
