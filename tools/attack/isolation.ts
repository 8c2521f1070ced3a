import { setTimeout as sleep } from 'node:timers/promises';
import { type Endpoint, EXAMPLES, endpoints, smallestClaim } from '@svc/contract';
import {
  ENVIRONMENTS,
  type Environment,
  type FirmId,
  ROLE_PERMISSIONS,
  STAFF_ROLES,
  type StaffPermission,
  type StaffRole,
} from '@svc/domain';
import type { Operator, TestFirm } from '../services/operator.ts';
import { inParallel } from './finding.ts';

// Every operation of the contract, with every id of one firm and its adjuster, as every caller who must not reach it.

interface Sent {
  readonly status: number;
  readonly text: string;
}

type Send = (method: string, path: string, options: { as?: string; body?: unknown }) => Promise<Sent>;

/** In every text of the attacked firm's data, by environment; `firm` is in its name, which its own keys and adjusters may read. */
const MARKER = { live: 'MARKER-LIVE-7b1f', test: 'MARKER-TEST-93ac', firm: 'MARKER-FIRM-c05e' } as const;

/** Of members who do not share it with their firm, or no longer. Nobody may read it. */
const UNSHARED = {
  contact: /2026-03-04T05:06:07/,
  distance: /"distance":\d{4}/,
  credentials: /MARKER-UNSHARED-58d2/,
  // Of all members: one does share it.
  report: /"contacts_shared":[^01]/,
} as const;

const SHARES_ALL = { clocks: true, credentials: true, work_area: true };

interface Adjuster {
  readonly svcId: string;
  readonly token: string;
}

/** Members of the caller's own firm whom an offer may name, so that no request fails because of its adjuster. */
type Members = Readonly<Record<Environment, string>>;

type Victim = Awaited<ReturnType<typeof prepareVictim>>;

interface Caller {
  readonly name: string;
  readonly kind: Exclude<Endpoint['auth'], 'none'>;
  readonly credential: string;
  readonly members: Members;
  readonly role?: StaffRole;
  /** Data of the victim that this caller may read. */
  readonly mayRead: readonly string[];
  /** What of the victim is not this caller's; absent: everything. */
  readonly foreign?: readonly string[];
  /** Live keys also read test claims, except by their external id. */
  readonly readsTestClaims?: boolean;
}

const idOf = ({ text }: Sent): string => (JSON.parse(text) as { id: string }).id;

const rowsOf = ({ text }: Sent): { readonly id: string }[] =>
  (JSON.parse(text) as { data: { id: string }[] }).data;

const membersOf = ({ account }: TestFirm, live: string): Members => ({ live, test: account.manual });

/** Its name is part of the data of live claims. */
async function markedMember(operator: Operator, firmId: string): Promise<Adjuster> {
  const adjuster = await operator.adjuster({ firstName: MARKER.live });
  await operator.addMember(firmId, adjuster.svcId);
  return adjuster;
}

/** With the payload of a receipt, which is encoded. */
const readable = (text: string): string =>
  text.replace(
    /"receipt":"[\w-]+\.([\w-]+)/,
    (all, payload: string) => all + Buffer.from(payload, 'base64url'),
  );

/** Shares all that it has of an accepted claim and of itself, until `end`. */
async function shareUntil(
  send: Send,
  { firm, staff, id, adjuster }: { firm: TestFirm; staff: string; id: string; adjuster: Adjuster },
  end: (sharing: string) => Promise<unknown>,
): Promise<void> {
  const as = adjuster.token;
  const contact = { at: '2026-03-04T05:06:07.089Z', result: 'reached' };
  const fcn = { number: 'MARKER-UNSHARED-58d2', categories: ['residential'], expires_on: '2027-12-31' };
  const sharing = `/app/v1/firms/${firm.id}/sharing`;
  await send('POST', `/app/v1/claims/${id}/acceptance`, { as });
  await send('PUT', `/app/v1/claims/${id}/contacts/contact`, { as, body: contact });
  await send('PUT', '/app/v1/me/credentials', { as, body: { fcn } });
  await send('PATCH', '/app/v1/me/availability', { as, body: { work_zip: '96813' } });
  await send('PUT', sharing, { as, body: SHARES_ALL });
  // Otherwise it would prove nothing that nobody reads it afterwards.
  for (const [path, what] of [
    [`claims/${id}`, 'contact'],
    ['claims?environment=live&status=accepted', 'contact'],
    [`claims/${id}/receipt`, 'contact'],
    [`adjusters?environment=live&for_claim=${id}`, 'distance'],
    [`adjusters/${adjuster.svcId}/credentials`, 'credentials'],
    ['reports/answers?environment=live&by=adjuster', 'report'],
  ] as const) {
    const { text } = await send('GET', `/firm/v1/${path}`, { as: staff });
    if (!UNSHARED[what].test(readable(text)))
      throw new Error(`${path} has nothing that a member shares: ${text}`);
  }
  await end(sharing);
}

async function prepareVictim(operator: Operator, send: Send) {
  const firm = await operator.firm({ name: `Victim ${MARKER.firm}` });
  const adjuster = await markedMember(operator, firm.id);
  const colleague = await operator.member(firm.id);
  const secretive = await operator.member(firm.id);
  const former = await operator.member(firm.id);
  const externalId = (marker: string, n: number): string => `${marker}-${n}-${firm.id.slice(0, 8)}`;
  const claim = async (as: string, svcId: string, marker: string, n: number): Promise<string> => {
    const unique = externalId(marker, n);
    const body = {
      ...smallestClaim,
      external_id: unique,
      claim_number: unique,
      adjuster_svc_id: svcId,
      instructions: marker,
    };
    return idOf(await send('POST', '/v1/claims', { as, body }));
  };
  const live = [
    await claim(firm.live, adjuster.svcId, MARKER.live, 1),
    await claim(firm.live, adjuster.svcId, MARKER.live, 2),
  ];
  await send('POST', `/app/v1/claims/${live[1]}/acceptance`, { as: adjuster.token });
  const test = await claim(firm.test, firm.account.manual, MARKER.test, 3);
  const unshared = [
    await claim(firm.live, secretive.svcId, MARKER.live, 4),
    await claim(firm.live, former.svcId, MARKER.live, 5),
  ] as const;
  // The only one who lets the firm see it.
  const fcn = { number: MARKER.live, categories: ['residential'], expires_on: '2027-12-31' };
  await send('PUT', '/app/v1/me/credentials', { as: adjuster.token, body: { fcn } });
  await send('PUT', `/app/v1/firms/${firm.id}/sharing`, { as: adjuster.token, body: SHARES_ALL });
  const invited = (await operator.adjuster()).svcId;
  await send('POST', '/v1/adjusters/invitations', {
    as: firm.live,
    body: { svc_id: invited, note: MARKER.live },
  });
  const sessions = rowsOf(await send('GET', '/app/v1/sessions', { as: adjuster.token })).map(({ id }) => id);
  const staff = await staffOf(operator, firm);
  const asAdmin = { as: staff.admin.token };
  const ofFirm = { firm, staff: staff.admin.token };
  await shareUntil(send, { ...ofFirm, id: unshared[0], adjuster: secretive }, (sharing) => {
    const body = { clocks: false, credentials: false, work_area: false };
    return send('PUT', sharing, { as: secretive.token, body });
  });
  await shareUntil(send, { ...ofFirm, id: unshared[1], adjuster: former }, () =>
    send('DELETE', `/app/v1/firms/${firm.id}/membership`, { as: former.token }),
  );
  const [adminSession] = rowsOf(await send('GET', '/firm/v1/sessions', asAdmin));
  if (adminSession === undefined) throw new Error('The administrator of the attacked firm has no session.');
  const url = `https://hooks.example/${MARKER.firm}`;
  const added = await send('POST', '/firm/v1/webhooks', { ...asAdmin, body: { url, environment: 'live' } });
  const { webhook } = JSON.parse(added.text) as { webhook: { id: string } };
  const delivery = idOf(await send('POST', `/firm/v1/webhooks/${webhook.id}/test`, asAdmin));
  const file = { name: MARKER.firm, environment: 'live', dry_run: true, text: 'a,b\n1,2' };
  const imported = idOf(await send('POST', '/firm/v1/imports', { ...asAdmin, body: file }));
  /** Values for each path parameter. */
  const ids: Readonly<Record<string, readonly string[]>> = {
    id: [...live, ...unshared, test],
    svc_id: [adjuster.svcId, secretive.svcId, former.svcId, invited, ...Object.values(firm.account)],
    firm_id: [firm.id],
    session_id: [...sessions, adminSession.id],
    passkey_id: sessions,
    staff_id: Object.values(staff).map(({ id }) => id),
    key_id: [(await operator.key(firm.id)).id],
    request_id: [await loggedRequestId(send, staff.admin.token)],
    contact_id: ['contact'],
    device_id: ['device'],
    webhook_id: [webhook.id],
    delivery_id: [delivery],
    import_id: [imported],
  };
  return {
    firm,
    // Has the claims; the colleague has none.
    adjuster,
    colleague,
    members: membersOf(firm, adjuster.svcId),
    /** Sessions of its staff, by role. */
    staff: tokensOf(staff),
    adminSession: adminSession.id,
    ids,
    /** Of a live and of the test claim. */
    externalIds: [externalId(MARKER.live, 1), externalId(MARKER.test, 3)],
    /** Ids of what is in one environment only. */
    only: {
      live: [...live, ...unshared, adjuster.svcId, secretive.svcId, former.svcId, invited],
      test: [test],
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

const tokensOf = (staff: StaffMembers): Readonly<Record<StaffRole, string>> =>
  Object.fromEntries(STAFF_ROLES.map((role) => [role, staff[role].token])) as Readonly<
    Record<StaffRole, string>
  >;

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

/** The parameters that a list can be searched with, filled with ids of the victim. */
const filtersOf = ({ query }: Endpoint, { ids, only, externalIds }: Victim): string[] => {
  const values: Readonly<Record<string, readonly string[]>> = {
    key: ids.key_id ?? [],
    request_id: ids.request_id ?? [],
    adjuster: (ids.svc_id ?? []).slice(0, 2),
    for_claim: only.live.slice(0, 1),
    q: only.live.slice(0, 1),
    object: [`claim:${only.live[0]}`],
    external_id: externalIds,
    by: ['adjuster'],
    status: ['accepted'],
  };
  const searched = Object.keys(query?.shape ?? {}).flatMap((name) =>
    (values[name] ?? []).map((value) => `${name}=${encodeURIComponent(value)}`),
  );
  // It is required.
  return searched.includes('by=adjuster') ? searched : ['', ...searched];
};

const environmentsOf = ({ query }: Endpoint): readonly (Environment | undefined)[] =>
  query !== undefined && 'environment' in query.shape ? ENVIRONMENTS : [undefined];

/** The ids name an object of somebody; ids of devices and contacts belong to whoever sends them. */
const namesVictim = ({ path }: Endpoint): boolean => /\{(?!device_id|contact_id)\w+\}/.test(path);

const LAST_USED = /"last_used_at":(null|"[^"]*")/g;
/** A session that is used ends later, which is written after half a minute at most. */
const USE_OF_SESSION = /"(last_used|expires)_at":(null|"[^"]*")/g;

/** What the firm sees of itself, without what reading it changes. */
async function snapshot(send: Send, { firm, adjuster, staff }: Victim): Promise<string[]> {
  const paths = [
    ['/v1/claims', firm.live],
    ['/v1/claims', firm.test],
    ['/v1/adjusters', firm.live],
    ['/v1/adjusters', firm.test],
    ['/app/v1/claims', adjuster.token],
    ['/app/v1/claims?status=accepted', adjuster.token],
    ['/app/v1/me', adjuster.token],
    ['/app/v1/passkeys', adjuster.token],
    ['/firm/v1/sessions', staff.admin],
    ['/firm/v1/staff', staff.admin],
    ['/firm/v1/keys', staff.admin],
    ['/firm/v1/webhooks', staff.admin],
  ] as const;
  return inParallel(paths, 4, async ([path, as]) => {
    const { text } = await send('GET', path, { as });
    return `${path} ${text.replaceAll(path.endsWith('/sessions') ? USE_OF_SESSION : LAST_USED, '')}`;
  });
}

const mayUse = (role: StaffRole, { permission = null }: Endpoint): boolean =>
  permission === null || (ROLE_PERMISSIONS[role] as readonly StaffPermission[]).includes(permission);

/** Without the times of an offer and of a claim as it was seen, which are other rules. */
function bodyOf({ id }: Endpoint, adjuster: string): { body?: unknown } {
  const { body } = EXAMPLES[id as keyof typeof EXAMPLES] as { body?: Record<string, unknown> };
  if (body === undefined) return {};
  const { offered_at: _, updated_at: __, ...sent } = body;
  return { body: 'adjuster_svc_id' in sent ? { ...sent, adjuster_svc_id: adjuster } : sent };
}

/** Ids of the victim in bodies, and what they get for another firm: a refusal, or nothing was found. */
const idsInBody = (
  { id }: Endpoint,
  { firm, ids }: Pick<Victim, 'firm' | 'ids'>,
): { readonly body: Record<string, unknown>; readonly status: number } | null => {
  if (id === 'changeFirm') return { body: { firm_id: firm.id }, status: 404 };
  if (id === 'revokeKeysOfMaker') return { body: { staff_id: ids.staff_id?.[0] }, status: 200 };
  if (id !== 'spreadClaims') return null;
  const claims = [{ id: '1', zip: '33957', state: 'FL' }];
  return { body: { adjusters: [{ svc_id: ids.svc_id?.[0] }], claims }, status: 422 };
};

/** Of a person who is staff of both firms, whose session was of the attacked one. */
async function changedSession(operator: Operator, from: TestFirm, to: TestFirm): Promise<string> {
  const { services } = operator;
  const { id: staffId, email, token } = await operator.staff(from.id, 'admin');
  const [of, firmId] = [{ firmId: from.id as FirmId, staffId }, to.id as FirmId];
  // As if the person had entered a code.
  await services.uow.run(async (tx) => {
    const member = await tx.staff.lock(of);
    if (member !== null) await tx.staff.save({ ...member, joinedAt: member.invitedAt });
  });
  const invited = { firmId, email, name: 'Priya Natarajan', role: 'admin' } as const;
  await services.inviteStaff(services.operator, invited);
  const session = await services.sessionAuthenticator.authenticateStaff(token);
  await services.changeFirm(of, session?.tokenHash ?? '', firmId);
  return token;
}

/** Sends all requests of the matrix and lists what a caller reached or changed. */
export async function isolationMatrix(
  operator: Operator,
  send: Send,
): Promise<{ requests: number; leaks: string[] }> {
  const victim = await prepareVictim(operator, send);
  const { firm, members, only } = victim;
  const stranger = await operator.firm({ name: 'Stranger' });
  const strangersAdjuster = await operator.member(stranger.id);
  const strangersStaff = await staffOf(operator, stranger);
  const others = { members: membersOf(stranger, strangersAdjuster.svcId), mayRead: [] };
  const callers: readonly Caller[] = [
    { ...others, name: 'live key of another firm', kind: 'key', credential: stranger.live },
    { ...others, name: 'test key of another firm', kind: 'key', credential: stranger.test },
    { ...others, name: 'adjuster of another firm', kind: 'session', credential: strangersAdjuster.token },
    ...STAFF_ROLES.map((role): Caller => {
      const credential = strangersStaff[role].token;
      return { ...others, name: `${role} of another firm`, kind: 'staff', credential, role };
    }),
    {
      ...others,
      name: 'a session that was changed to another firm',
      kind: 'staff',
      credential: await changedSession(operator, firm, stranger),
      role: 'admin',
      // The firms of the person are named.
      mayRead: [MARKER.firm],
    },
    ...ENVIRONMENTS.map(
      (environment): Caller => ({
        name: `${environment} key of the same firm`,
        kind: 'key',
        credential: firm[environment],
        members,
        mayRead: [MARKER[environment], MARKER.firm],
        foreign: only[environment === 'live' ? 'test' : 'live'],
        readsTestClaims: environment === 'live',
      }),
    ),
    {
      name: 'another adjuster of the same firm',
      kind: 'session',
      credential: victim.colleague.token,
      members,
      mayRead: [MARKER.firm],
      foreign: [...(victim.ids.id ?? []), ...(victim.ids.session_id ?? [])],
    },
    ...STAFF_ROLES.filter((role) => role !== 'admin').map(
      (role): Caller => ({
        name: `${role} of the same firm`,
        kind: 'staff',
        credential: victim.staff[role],
        members,
        role,
        mayRead: Object.values(MARKER),
        foreign: [victim.adminSession],
      }),
    ),
  ];
  const ownCredentials = { key: firm.live, session: victim.adjuster.token, staff: victim.staff.admin };
  const wrongKind = (endpoint: Endpoint): (string | undefined)[] => [
    undefined,
    ...Object.entries(ownCredentials).map(([kind, token]) => (kind === endpoint.auth ? `${token}x` : token)),
  ];
  const before = await snapshot(send, victim);
  const leaks: string[] = [];
  let requests = 0;

  interface Attempt {
    readonly who: string;
    readonly as: string | undefined;
    /** Whether the status is what this caller must get. */
    readonly expects: (status: number) => boolean;
    readonly mayRead?: readonly string[];
    readonly adjuster?: string;
  }
  const attempt = async (
    endpoint: Endpoint,
    path: string,
    { who, as, expects, mayRead = [], adjuster = members.live }: Attempt,
  ): Promise<void> => {
    const ids = idsInBody(endpoint, victim);
    const sent = await send(endpoint.method, path, {
      ...(as !== undefined && { as }),
      ...(ids === null ? bodyOf(endpoint, adjuster) : { body: ids.body }),
    });
    requests += 1;
    const text = readable(sent.text);
    const hasRead =
      Object.values(MARKER).some((marker) => text.includes(marker) && !mayRead.includes(marker)) ||
      Object.values(UNSHARED).some((pattern) => pattern.test(text));
    if (!expects(sent.status) || hasRead)
      leaks.push(
        `${who}: ${endpoint.method} ${path} was ${sent.status}${hasRead ? ' with data of the firm' : ''}`,
      );
  };
  const among =
    (...expected: number[]) =>
    (status: number) =>
      expected.includes(status);
  const is = (expected: number) => among(expected);

  const work: (() => Promise<void>)[] = [];
  const plan = (endpoint: Endpoint, path: string, planned: Attempt): void => {
    work.push(() => attempt(endpoint, path, planned));
  };
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    if (endpoint.auth === 'none') continue;
    const isRead = !endpoint.write;
    for (const path of pathsOf(endpoint, victim.ids)) {
      for (const as of wrongKind(endpoint)) {
        const who = as === undefined ? 'nobody' : 'a credential of the wrong kind';
        plan(endpoint, path, { who, as, expects: is(401) });
      }
      for (const filter of filtersOf(endpoint, victim)) {
        for (const environment of environmentsOf(endpoint)) {
          const query = [filter, environment && `environment=${environment}`].filter(Boolean).join('&');
          const url = query === '' ? path : `${path}?${query}`;
          const namesOther =
            environment !== undefined &&
            only[environment === 'live' ? 'test' : 'live'].some((id) =>
              path.includes(encodeURIComponent(id)),
            );
          for (const role of endpoint.auth === 'staff' ? STAFF_ROLES : []) {
            const adjuster = members[environment ?? 'live'];
            const planned = { who: `${role} of the same firm`, as: victim.staff[role], adjuster };
            // What a role lacks is refused before anything is read.
            if (!mayUse(role, endpoint)) plan(endpoint, url, { ...planned, expects: is(403) });
            else if (isRead) {
              // Own data, of the environment that was asked for; otherwise every 404 of the others would prove nothing.
              const mayRead =
                environment === undefined ? Object.values(MARKER) : [MARKER[environment], MARKER.firm];
              // A firm verifies its trail once at a time, and here all its roles do.
              const isShared = endpoint.id !== 'getSharedCredentials' || path.includes(victim.adjuster.svcId);
              const expects = endpoint.id === 'verifyAudit' ? among(200, 429) : is(isShared ? 200 : 404);
              plan(endpoint, url, { ...planned, mayRead, expects });
            } else if (namesOther) plan(endpoint, url, { ...planned, expects: (status) => status >= 400 });
          }
          const ids = idsInBody(endpoint, victim);
          if (ids !== null)
            for (const { name: who, credential: as, role } of callers)
              if (role !== undefined && who.endsWith('of another firm'))
                plan(endpoint, url, { who, as, expects: is(mayUse(role, endpoint) ? ids.status : 403) });
          // Without a path parameter a write belongs to the caller.
          if (!isRead && !namesVictim(endpoint)) continue;
          for (const caller of callers) {
            const { name: who, kind, credential: as, mayRead, role, foreign, members: own } = caller;
            if (kind !== endpoint.auth) continue;
            const isForeign =
              foreign === undefined || foreign.some((id) => path.includes(encodeURIComponent(id)));
            if (!isForeign && (namesVictim(endpoint) || kind === 'staff')) continue;
            if (caller.readsTestClaims && isRead && !filter.startsWith('external_id')) continue;
            const isRefused = role !== undefined && !mayUse(role, endpoint);
            const expects = (status: number): boolean =>
              isRefused
                ? status === 403
                : namesVictim(endpoint)
                  ? // A conflict would say what has become of it.
                    status >= 400 && status < 500 && status !== 409
                  : status < 500;
            const isTest = as === stranger.test || as === firm.test;
            const adjuster = own[environment ?? (isTest ? 'test' : 'live')];
            plan(endpoint, url, { who, as, expects, mayRead, adjuster });
          }
        }
      }
    }
  }
  await inParallel(work, 8, (step) => step());
  const after = await snapshot(send, victim);
  before.forEach((text, n) => {
    if (text !== after[n]) leaks.push(`the data of the attacked firm changed: from ${text} to ${after[n]}`);
  });
  return { requests, leaks };
}
