import { setTimeout as sleep } from 'node:timers/promises';
import { type Endpoint, EXAMPLES, endpoints, smallestClaim } from '@svc/contract';
import { ROLE_PERMISSIONS, STAFF_ROLES, type StaffPermission, type StaffRole } from '@svc/domain';
import type { Operator, TestFirm } from '../services/operator.ts';
import { type Finding, inParallel } from './finding.ts';

// Every operation of the contract, with every id of one firm and its adjuster, as every caller who must not reach it.

interface Sent {
  readonly status: number;
  readonly text: string;
}

type Send = (method: string, path: string, options: { as?: string; body?: unknown }) => Promise<Sent>;

/** In every text of the attacked firm's data, by environment. */
const MARKER = { live: 'MARKER-LIVE-7b1f', test: 'MARKER-TEST-93ac' } as const;

interface Victim {
  readonly firm: TestFirm;
  /** A member of the firm, and a session of theirs. */
  readonly adjuster: { readonly svcId: string; readonly token: string };
  /** Sessions of its staff, by role. */
  readonly staff: Readonly<Record<StaffRole, string>>;
  /** Values for each path parameter. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

interface Caller {
  readonly name: string;
  readonly kind: Exclude<Endpoint['auth'], 'none'>;
  readonly credential: string | undefined;
  readonly role?: StaffRole;
  /** Data of the victim that this caller may read. */
  readonly mayRead: readonly string[];
}

async function prepareVictim(operator: Operator, send: Send): Promise<Victim> {
  const firm = await operator.firm({ name: `Victim ${MARKER.live}` });
  const adjuster = await operator.member(firm.id);
  const claim = async (as: string, svcId: string, marker: string, n: number): Promise<string> => {
    const unique = `${marker}-${n}-${firm.id.slice(0, 8)}`;
    const body = {
      ...smallestClaim,
      external_id: unique,
      claim_number: unique,
      adjuster_svc_id: svcId,
      instructions: marker,
    };
    const { text } = await send('POST', '/v1/claims', { as, body });
    return (JSON.parse(text) as { id: string }).id;
  };
  const live = [
    await claim(firm.live, adjuster.svcId, MARKER.live, 1),
    await claim(firm.live, adjuster.svcId, MARKER.live, 2),
  ];
  await send('POST', `/app/v1/claims/${live[1]}/acceptance`, { as: adjuster.token });
  const test = await claim(firm.test, firm.account.manual, MARKER.test, 3);
  const invited = (await operator.adjuster()).svcId;
  await send('POST', '/v1/adjusters/invitations', {
    as: firm.live,
    body: { svc_id: invited, note: MARKER.live },
  });
  const { text } = await send('GET', '/app/v1/sessions', { as: adjuster.token });
  const sessions = (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id);
  const staff = await staffOf(operator, firm);
  const asAdmin = { as: staff.admin.token };
  const url = `https://hooks.example/${MARKER.live}`;
  const added = await send('POST', '/firm/v1/webhooks', { ...asAdmin, body: { url, environment: 'live' } });
  const webhook = JSON.parse(added.text) as { webhook: { id: string } };
  const tested = await send('POST', `/firm/v1/webhooks/${webhook.webhook.id}/test`, asAdmin);
  const delivery = JSON.parse(tested.text) as { id: string };
  const file = { name: MARKER.live, environment: 'live', dry_run: true, text: 'a,b\n1,2' };
  const imported = JSON.parse((await send('POST', '/firm/v1/imports', { ...asAdmin, body: file })).text) as {
    id: string;
  };
  return {
    firm,
    adjuster,
    staff: tokensOf(staff),
    ids: {
      id: [...live, test],
      svc_id: [adjuster.svcId, invited, ...Object.values(firm.account)],
      firm_id: [firm.id],
      session_id: sessions,
      passkey_id: sessions,
      staff_id: Object.values(staff).map(({ id }) => id),
      key_id: [(await operator.key(firm.id)).id],
      request_id: [await loggedRequestId(send, staff.admin.token)],
      contact_id: ['contact'],
      device_id: ['device'],
      webhook_id: [webhook.webhook.id],
      delivery_id: [delivery.id],
      import_id: [imported.id],
    },
  };
}

/** Requests are written to the log within a second. */
async function loggedRequestId(send: Send, as: string): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { text } = await send('GET', '/firm/v1/requests', { as });
    const [request] = (JSON.parse(text) as { data: { request_id: string }[] }).data;
    if (request !== undefined) return request.request_id;
    await sleep(100);
  }
  throw new Error('The requests of the attacked firm are not in its log.');
}

type StaffMembers = Readonly<Record<StaffRole, { readonly id: string; readonly token: string }>>;

async function staffOf(operator: Operator, { id }: TestFirm): Promise<StaffMembers> {
  const members = await inParallel(STAFF_ROLES, 4, (role) => operator.staff(id, role));
  return Object.fromEntries(STAFF_ROLES.map((role, n) => [role, members[n]])) as unknown as StaffMembers;
}

const tokensOf = (staff: StaffMembers): Victim['staff'] =>
  Object.fromEntries(STAFF_ROLES.map((role) => [role, staff[role].token])) as Victim['staff'];

/** All ways to fill the path's parameters with ids of the victim. */
function pathsOf({ path }: Endpoint, ids: Victim['ids']): string[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return [path];
  const values = ids[name];
  // A new kind of id must be added to the victim, or it would be left out without notice.
  if (values === undefined) throw new Error(`The isolation matrix has no ids for {${name}} of ${path}.`);
  return values.flatMap((value) =>
    pathsOf({ path: path.replace(`{${name}}`, encodeURIComponent(value)) } as Endpoint, ids),
  );
}

/** The ids name an object of somebody; ids of devices and contacts belong to whoever sends them. */
const namesVictim = ({ path }: Endpoint): boolean => /\{(?!device_id|contact_id)\w+\}/.test(path);

async function snapshot(send: Send, { firm, adjuster, staff }: Victim): Promise<string> {
  const paths = [
    ['/v1/claims', firm.live],
    ['/v1/claims', firm.test],
    ['/v1/adjusters', firm.live],
    ['/v1/adjusters', firm.test],
    ['/app/v1/claims', adjuster.token],
    ['/app/v1/claims?status=accepted', adjuster.token],
    ['/app/v1/me', adjuster.token],
    ['/app/v1/passkeys', adjuster.token],
    ['/firm/v1/staff', staff.admin],
    ['/firm/v1/keys', staff.admin],
    ['/firm/v1/webhooks', staff.admin],
  ] as const;
  const texts = await inParallel(paths, 4, async ([path, as]) => (await send('GET', path, { as })).text);
  return texts.join('\n').replaceAll(/"last_used_at":(null|"[^"]*")/g, '');
}

const mayUse = (role: StaffRole, { permission = null }: Endpoint): boolean =>
  permission === null || (ROLE_PERMISSIONS[role] as readonly StaffPermission[]).includes(permission);

/** Sends all requests of the matrix and lists what a caller reached or changed. */
export async function isolationMatrix(
  operator: Operator,
  send: Send,
): Promise<{ requests: number; leaks: string[]; findings: Finding[] }> {
  const victim = await prepareVictim(operator, send);
  const stranger = await operator.firm({ name: 'Stranger' });
  const strangersAdjuster = await operator.member(stranger.id);
  const strangersStaff = await staffOf(operator, stranger);
  const callers: readonly Caller[] = [
    { name: 'live key of another firm', kind: 'key', credential: stranger.live, mayRead: [] },
    { name: 'test key of another firm', kind: 'key', credential: stranger.test, mayRead: [] },
    { name: 'adjuster of another firm', kind: 'session', credential: strangersAdjuster.token, mayRead: [] },
    { name: 'test key of the same firm', kind: 'key', credential: victim.firm.test, mayRead: [MARKER.test] },
    ...STAFF_ROLES.map(
      (role): Caller => ({
        name: `${role} of another firm`,
        kind: 'staff',
        credential: strangersStaff[role].token,
        role,
        mayRead: [],
      }),
    ),
  ];
  const ownCredentials = {
    key: victim.firm.live,
    session: victim.adjuster.token,
    staff: victim.staff.admin,
  };
  const wrongKind = (endpoint: Endpoint): (string | undefined)[] => [
    undefined,
    ...Object.entries(ownCredentials).map(([kind, token]) => (kind === endpoint.auth ? `${token}x` : token)),
  ];
  const before = await snapshot(send, victim);
  const leaks: string[] = [];
  let requests = 0;

  const attempt = async (
    endpoint: Endpoint,
    path: string,
    who: string,
    as: string | undefined,
    isAllowed: (sent: Sent) => boolean,
    mayRead: readonly string[],
  ): Promise<void> => {
    const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES] as { body?: unknown };
    const sent = await send(endpoint.method, path, {
      ...(as !== undefined && { as }),
      ...(example.body !== undefined && { body: example.body }),
    });
    requests += 1;
    const read = Object.values(MARKER).filter(
      (marker) => sent.text.includes(marker) && !mayRead.includes(marker),
    );
    if (!isAllowed(sent) || read.length > 0)
      leaks.push(
        `${who}: ${endpoint.method} ${path} was ${sent.status}${read.length > 0 ? ' with data of the firm' : ''}`,
      );
  };

  const work: (() => Promise<void>)[] = [];
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    if (endpoint.auth === 'none') continue;
    for (const path of pathsOf(endpoint, victim.ids)) {
      for (const as of wrongKind(endpoint)) {
        const who = as === undefined ? 'nobody' : 'a credential of the wrong kind';
        work.push(() => attempt(endpoint, path, who, as, ({ status }) => status === 401, []));
      }
      for (const role of STAFF_ROLES) {
        // What a role of the same firm lacks is refused before anything is read.
        if (endpoint.auth !== 'staff' || mayUse(role, endpoint)) continue;
        const who = `${role} of the same firm`;
        work.push(() => attempt(endpoint, path, who, victim.staff[role], ({ status }) => status === 403, []));
      }
      // Without a path parameter a write belongs to the caller.
      if (endpoint.write && !namesVictim(endpoint)) continue;
      for (const { name, kind, credential, mayRead, role } of callers) {
        if (kind !== endpoint.auth) continue;
        const isOwnTestData = mayRead.includes(MARKER.test);
        // The firm's own test key may use test claims and test accounts.
        if (isOwnTestData && !(victim.ids.id ?? []).slice(0, 2).some((id) => path.includes(id))) continue;
        const isAllowed = ({ status }: Sent): boolean =>
          role !== undefined && !mayUse(role, endpoint)
            ? status === 403
            : namesVictim(endpoint)
              ? status >= 400 && status < 500
              : status < 500;
        work.push(() => attempt(endpoint, path, name, credential, isAllowed, mayRead));
      }
    }
  }
  await inParallel(work, 8, (step) => step());
  const changed = (await snapshot(send, victim)) !== before;
  if (changed) leaks.push('the data of the attacked firm changed');
  return {
    requests,
    leaks,
    findings: [
      {
        attack: `isolation: every operation, id and caller (${requests} requests)`,
        bound: 'nothing read, nothing changed',
        observed:
          leaks.length === 0
            ? 'nothing read, nothing changed'
            : `${leaks.length}: ${leaks.slice(0, 3).join('; ')}`,
        holds: leaks.length === 0,
      },
    ],
  };
}
