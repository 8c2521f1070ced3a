import { Agent, request as httpRequest } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { TOKENS } from '@svc/api/tooling';
import type { Svcid } from '@svc/domain';
import { chanceFrom } from '../generate/seeded.ts';
import type { Operator } from '../services/operator.ts';
import { type FuzzAnswer, type FuzzRequest, judge } from './judge.ts';
import { type FuzzWorld, nextRequest } from './requests.ts';

interface FuzzReport {
  readonly seed: string;
  readonly requests: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byCode: Readonly<Record<string, number>>;
  readonly mutations: number;
  readonly findings: readonly {
    readonly what: string;
    readonly request: unknown;
    readonly answer: unknown;
  }[];
}

const AT_ONCE = 16;
/** One fault shows in thousands of requests; the first of them are enough. */
const MOST_FINDINGS = 50;

async function createWorld(operator: Operator): Promise<FuzzWorld> {
  const [firm, other] = [await operator.firm(), await operator.firm()];
  const sessions = new Map<string, string>();
  const people: Svcid[] = [];
  for (let n = 1; n <= 5; n += 1) {
    const { svcId, token } = await operator.adjuster({ svcId: `SVC-fuzz-${n}` });
    people.push(svcId);
    sessions.set(svcId, token);
  }
  const [members, strangers, signsOut = ''] = [people.slice(0, 3), people.slice(3), people.at(-1)];
  for (const svcId of members) await operator.addMember(firm.id, svcId);
  return {
    firmId: firm.id,
    live: firm.live,
    test: firm.test,
    readOnly: (await operator.key(firm.id, { purpose: 'read_only' })).secret,
    otherFirm: other.live,
    members,
    strangers,
    testAccounts: Object.values(firm.account),
    signsOut,
    sessions,
    claims: [],
    sent: [],
  };
}

/** Sends requests made of the interface's own document, sound ones and bent ones, and judges every answer. */
export async function fuzz(options: {
  readonly url: string;
  readonly operator: Operator;
  readonly requests: number;
  readonly seed: string;
  readonly log?: (line: string) => void;
}): Promise<FuzzReport> {
  const { url, operator, requests, seed, log = () => {} } = options;
  const world = await createWorld(operator);
  const chance = chanceFrom(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const byStatus: Record<string, number> = {};
  const byCode: Record<string, number> = {};
  const findings: { what: string; request: unknown; answer: unknown }[] = [];
  let made = 0;
  let mutations = 0;

  async function one(): Promise<void> {
    made += 1;
    const request = nextRequest(world, chance, made);
    mutations += request.mutations.length;
    const answer = await send(url, agent, request);
    let what: string | null;
    try {
      what = answer === null ? 'no answer' : judge(request, answer);
    } catch (error) {
      what = `an answer that cannot be read: ${(error as Error).message}`;
    }
    byStatus[answer?.status ?? 'none'] = (byStatus[answer?.status ?? 'none'] ?? 0) + 1;
    const code = /"code":"(\w+)"/.exec(answer?.text ?? '')?.[1];
    if (code !== undefined) byCode[code] = (byCode[code] ?? 0) + 1;
    if (what !== null && findings.length < MOST_FINDINGS) {
      const { endpoint, body, headers, ...rest } = request;
      const { authorization, ...shown } = headers;
      const said = typeof body === 'string' ? body.slice(0, 4_000) : body;
      const full = {
        ...rest,
        endpoint: endpoint?.id ?? null,
        headers: { ...shown, authorization: authorization?.slice(0, 16) },
        body: said,
      };
      findings.push({ what, request: full, answer });
    }
    if (answer !== null) await carryOn(request, answer);
  }

  /** What a request did to the world that others count on is undone, and what it made is used. */
  async function carryOn({ endpoint }: FuzzRequest, { status, text }: FuzzAnswer): Promise<void> {
    if (status >= 300) return;
    if (endpoint?.id === 'sendClaim') world.claims.push((JSON.parse(text) as { id: string }).id);
    if (world.claims.length > 1_000) world.claims.splice(0, 500);
    const { firmId, members, signsOut } = world;
    if (endpoint?.id === 'signOut') world.sessions.set(signsOut, await operator.session(signsOut));
    if (endpoint?.id === 'leaveFirm') {
      for (const svcId of members) await operator.addMember(firmId, svcId).catch(() => {});
    }
    if (endpoint?.id === 'updateMembership') {
      const setAcceptingAssignments = operator.wiring.get(TOKENS.setAcceptingAssignments);
      for (const svcId of members) {
        // Who has left meanwhile has nothing to resume.
        await setAcceptingAssignments({ svcId }, firmId, true).catch(() => {});
      }
    }
  }

  async function worker(): Promise<void> {
    while (made < requests && findings.length < MOST_FINDINGS) {
      await one();
      if (made % 10_000 === 0) log(`${made} requests, ${findings.length} findings`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  agent.destroy();
  return { seed, requests: made, byStatus, byCode, mutations, findings };
}

/** In one of the codings that the requests ask for. */
const unpacked = (bytes: Buffer, coding: string | undefined): string =>
  (coding === 'br' ? brotliDecompressSync(bytes) : bytes).toString();

/** Null: the connection ended before there was an answer. */
function send(
  url: string,
  agent: Agent,
  { method, path, headers, body }: FuzzRequest,
): Promise<FuzzAnswer | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const made = httpRequest(
      {
        hostname,
        port,
        agent,
        method,
        path,
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: unpacked(Buffer.concat(parts), answer.headers['content-encoding']),
          }),
        );
        answer.on('error', () => resolve(null));
      },
    );
    made.setTimeout(20_000, () => made.destroy());
    made.on('error', () => resolve(null));
    made.end(body);
  });
}
