import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import type { Svcid } from '@svc/domain';
import { seededRandom } from '../generate/random.ts';
import type { Operator } from '../services/operator.ts';
import { type FuzzData, nextRequest } from './fuzz-requests.ts';
import { describeFinding, type FuzzRequest, type FuzzResponse, judge } from './judge.ts';

const CONCURRENCY = 16;
/** One defect can affect thousands of requests. */
const MAX_FINDINGS = 50;

async function createData(operator: Operator): Promise<FuzzData> {
  const firm = await operator.firm();
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
    members,
    strangers,
    testAccounts: Object.values(firm.account),
    signsOut,
    sessions,
    staff: (await operator.staff(firm.id)).token,
    claims: [],
    sent: [],
  };
}

/** Sends valid and invalid requests generated from the OpenAPI document, and checks every response against it. */
export async function fuzz(options: {
  readonly url: string;
  readonly operator: Operator;
  readonly requests: number;
  readonly seed: string;
  readonly log?: (line: string) => void;
}) {
  const { url, operator, requests, seed, log = () => {} } = options;
  const data = await createData(operator);
  const random = seededRandom(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const byStatus: Record<string, number> = {};
  const byCode: Record<string, number> = {};
  const findings: string[] = [];
  let sent = 0;
  let mutations = 0;

  async function sendNext(): Promise<void> {
    sent += 1;
    if (sent % 10_000 === 0) log(`${sent} requests, ${findings.length} findings`);
    const request = nextRequest(data, random, sent);
    mutations += request.mutations.length;
    let response = await send(url, agent, request);
    // On a busy machine the service may be overloaded for a moment. If it stays so, that is a finding.
    for (let n = 0; n < 5 && response?.status === 503; n += 1) {
      await sleep(1000);
      response = await send(url, agent, request);
    }
    const status = response?.status ?? 'none';
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    const code = /"code":"(\w+)"/.exec(response?.text ?? '')?.[1];
    if (code !== undefined) byCode[code] = (byCode[code] ?? 0) + 1;
    const fault = faultOf(request, response);
    if (fault !== null && findings.length < MAX_FINDINGS)
      findings.push(describeFinding(fault, request, response));
    if (response !== null) await updateData(request, response);
  }

  /** Restores what the request ended, so that later requests can use it, and keeps what it created. */
  async function updateData({ endpoint }: FuzzRequest, { status, text }: FuzzResponse): Promise<void> {
    if (status >= 300) return;
    if (endpoint?.id === 'sendClaim') data.claims.push((JSON.parse(text) as { id: string }).id);
    if (data.claims.length > 1_000) data.claims.splice(0, 500);
    const { firmId, members, signsOut } = data;
    if (endpoint?.id === 'signOut') data.sessions.set(signsOut, await operator.session(signsOut));
    if (endpoint?.id === 'leaveFirm') {
      for (const svcId of members) await operator.addMember(firmId, svcId).catch(() => {});
    }
    if (endpoint?.id === 'updateMembership') {
      const setAcceptingAssignments = operator.services.setAcceptingAssignments;
      // Fails for an adjuster who has left the firm since.
      for (const svcId of members) await setAcceptingAssignments({ svcId }, firmId, true).catch(() => {});
    }
  }

  async function worker(): Promise<void> {
    while (sent < requests && findings.length < MAX_FINDINGS) await sendNext();
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  agent.destroy();
  return { seed, requests: sent, byStatus, byCode, mutations, findings };
}

function faultOf(request: FuzzRequest, response: FuzzResponse | null): string | null {
  if (response === null) return 'no response';
  try {
    return judge(request, response);
  } catch (error) {
    return `an unreadable response: ${(error as Error).message}`;
  }
}

const decoded = (bytes: Buffer, contentEncoding: string | undefined): string =>
  (contentEncoding === 'br' ? brotliDecompressSync(bytes) : bytes).toString();

/** Null when the connection ended before the response did. */
function send(
  url: string,
  agent: Agent,
  { method, path, headers: given, body }: FuzzRequest,
): Promise<FuzzResponse | null> {
  const { hostname, port } = new URL(url);
  const headers = { ...given, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) };
  return new Promise((resolve) => {
    const request = httpRequest({ hostname, port, agent, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: decoded(Buffer.concat(chunks), response.headers['content-encoding']),
        }),
      );
      response.on('error', () => resolve(null));
    });
    request.setTimeout(20_000, () => request.destroy());
    request.on('error', () => resolve(null));
    request.end(body);
  });
}
