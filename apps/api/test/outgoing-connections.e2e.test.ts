import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { type Endpoint, type EndpointId, EXAMPLES, endpoints } from '@svc/contract';
import { eventually } from '@svc/testkit/eventually';
import { createSoftwareAuthenticator } from '../../../packages/adapter-credentials/test/software-authenticator.ts';
import { atEnd } from '../../../tools/services/at-end.ts';
import { countRows } from '../../../tools/services/count-rows.ts';
import { listening } from '../../../tools/services/local-server.ts';
import { temporaryFolder } from '../../../tools/services/temporary-folder.ts';
import { claimBody, sendClaim, startServiceUnderTest } from './service-under-test.ts';
import { svcJsonOn } from './svc-here.ts';

// Whatever clients send, this process connects to its own servers only. Endpoints come from the contract, so that later
// ones are tested too.

/** Accepts connections and ends them: where clients try to make the service connect to. */
const target = await listening(createServer((socket) => socket.end()));
const folder = temporaryFolder();
/** Addresses and ports of all connections that this process tried to open, but for its own servers. */
const foreign: string[] = [];
const ownPorts = new Set<number>();
/** Also the requests of the tests. */
let connections = 0;
const noteConnections = (message: unknown): void => {
  connections += 1;
  (message as { socket: Socket }).socket.on('connectionAttempt', (address: string, to: number) => {
    if (!ownPorts.has(to)) foreign.push(`${address} ${to}`);
  });
};

const SITE = { origin: 'https://claims.example', rpId: 'claims.example' };

const { port } = target;
subscribe('net.client.socket', noteConnections);
atEnd(() => unsubscribe('net.client.socket', noteConnections));
// A public service: one that only this machine can reach may push to itself.
const service = await startServiceUnderTest({
  env: { BASE_URL: SITE.origin, SESSION_LIMIT_PER_MINUTE: '0' },
});
for (const url of [service.url, service.databaseUrl]) ownPorts.add(Number(new URL(url).port || 5432));
foreign.length = 0;
afterEach(() => {
  expect(connections).toBeGreaterThan(0);
  expect(foreign.splice(0)).toEqual([]);
});

const jobsDone = () => countRows(service.databaseUrl);

/** The body with each of its texts replaced, one at a time. */
function* withEachText(body: unknown, text: string): Generator<unknown> {
  if (typeof body === 'string') yield text;
  if (typeof body !== 'object' || body === null) return;
  for (const [key, value] of Object.entries(body))
    for (const changed of withEachText(value, text))
      yield Array.isArray(body)
        ? body.map((item, n) => (String(n) === key ? changed : item))
        : { ...body, [key]: changed };
}

test('an address in any field, parameter or header of any endpoint is not connected to', async () => {
  const firm = await service.firm();
  const { svcId } = await service.member(firm);
  const address = `http://127.0.0.1:${port}/x`;
  const statuses = new Map<string, Set<number>>();
  for (const id of Object.keys(endpoints) as EndpointId[]) {
    const staff = await service.staff(firm);
    const endpoint: Endpoint = endpoints[id];
    const example = EXAMPLES[id];
    const sent = await sendClaim(service, firm.live, claimBody(svcId));
    const session = await service.session(svcId);
    const key = endpoint.sandbox === true ? firm.test : firm.live;
    const as = { key, session, staff, none: undefined }[endpoint.auth];
    const names = { ...example.params, id: sent.json.id, firm_id: firm.id, svc_id: firm.account.manual };
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: keyof typeof names) => String(names[name]));
    const hostile = Object.fromEntries(
      ['Origin', 'Referer', 'Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Link', 'traceparent']
        .concat(Object.keys(endpoint.headers?.shape ?? {}))
        .map((name) => [name, address]),
    );
    const calls: { path: string; body?: unknown; headers?: Readonly<Record<string, string>> | undefined }[] =
      [
        ...[...withEachText(example.body, address)].map((body) => ({ path, body, headers: example.headers })),
        { path, body: example.body, headers: { ...hostile, Host: `127.0.0.1:${port}` } },
        { path: endpoint.path.replace(/\{\w+\}/g, encodeURIComponent(address)), body: example.body },
        ...Object.keys(endpoint.query?.shape ?? {}).map((name) => ({
          path: `${path}?${name}=${encodeURIComponent(address)}`,
        })),
      ];
    const responses = await Promise.all(
      calls.map(({ path, body, headers }) =>
        service.call(endpoint.method, path, {
          ...(as !== undefined && { as }),
          ...(body !== undefined && { body }),
          headers: { 'Idempotency-Key': randomBytes(8).toString('hex'), ...headers },
        }),
      ),
    );
    statuses.set(id, new Set(responses.map(({ status }) => status)));
  }
  await jobsDone();
  expect([...statuses].filter(([, of]) => of.has(500))).toEqual([]);
  expect(statuses.get('registerDevice')).toContain(204);
});

test('a push endpoint of this machine or a private network is not connected to, however it is written', async () => {
  const hosts = ['localhost', '127.1', '2130706433', '10.0.0.1', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]'];
  const keys = (EXAMPLES.registerDevice.body as { subscription: { keys: object } }).subscription.keys;
  const statuses = await Promise.all(
    hosts.map(async (host) => {
      const { token } = await service.adjuster();
      const subscription = { endpoint: `https://${host}:${port}/push`, keys };
      await service.call('PUT', '/app/v1/devices/phone', { as: token, body: { subscription } });
      return (await service.call('POST', '/app/v1/devices/phone/test-notification', { as: token })).status;
    }),
  );
  expect(statuses).toEqual(hosts.map(() => 202));
  await jobsDone();
  const refused = service.logged.filter((line) => line.includes('in a private network was not called'));
  expect(refused.length).toBeGreaterThanOrEqual(hosts.length);
});

test('a webhook endpoint of this machine, from before the service was public, is not connected to', async () => {
  const firm = await service.firm();
  const svc = svcJsonOn(service.databaseUrl);
  const ofFirm = ['--firm', firm.id];
  const url = `http://localhost:${port}/hook`;
  await svc('webhook', 'create', '--url', url, '--environment', 'test', ...ofFirm);
  await sendClaim(service, firm.test, claimBody(firm.account.manual));
  const [attempt] = await eventually(
    async () => (await svc('webhook', 'deliveries', ...ofFirm)).deliveries[0]?.attempts ?? [],
    (attempts) => attempts.length > 0,
  );
  expect(attempt).toMatchObject({ status: null, error: 'private_address' });
});

/** A certificate for the credential that names a revocation list, and the authority that issued it. */
function chainFor(pem: string, clientDataHash: Buffer): Buffer[] {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  openssl('req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', '/CN=CA');
  writeFileSync(at('key'), pem);
  const subject = '/C=US/O=Test/OU=Authenticator Attestation/CN=Authenticator';
  openssl('req', '-new', '-key', at('key'), '-out', at('csr'), '-subj', subject);
  // Key description of Android: version and security level twice, the challenge, no unique id, no authorizations.
  const description = `3034${'0201010a0100'.repeat(2)}0420${clientDataHash.toString('hex')}040030003000`;
  writeFileSync(
    at('extensions'),
    `basicConstraints=CA:FALSE\ncrlDistributionPoints=URI:http://127.0.0.1:${port}/crl\n1.3.6.1.4.1.11129.2.1.17=DER:${description}\n`,
  );
  const authority = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1'];
  openssl('x509', '-req', '-in', at('csr'), ...authority, '-extfile', at('extensions'), '-out', at('crt'));
  return [at('crt'), at('ca.crt')].map((file) =>
    Buffer.from(readFileSync(file, 'utf8').replace(/-----.*-----|\s/g, ''), 'base64'),
  );
}

test.each(['packed', 'android-key', 'fido-u2f', 'apple', 'tpm', 'android-safetynet'])(
  'a passkey with certificates (%s) is refused without a connection to what they name',
  async (format) => {
    const { token } = await service.adjuster();
    const { options } = (await service.call('POST', '/app/v1/passkeys/options', { as: token })).json;
    const created = createSoftwareAuthenticator().create(options, SITE, {
      format,
      certificates: ({ pem, clientDataHash }) => chainFor(pem, clientDataHash),
    });
    const body = { name: 'Phone', ...created };
    expect((await service.call('POST', '/app/v1/passkeys', { as: token, body })).status).toBe(422);
  },
);
