import { type EndpointId, type ErrorCode, endpoints } from '@svc/contract';
import type { Operator } from '../../../tools/services/operator.ts';
import type { Step } from './model.ts';
import { type ApiResponse, callHttp } from './service-under-test.ts';

/** A request that is ready to be sent, and the firm whose state it changes. */
export interface Prepared {
  readonly firmId: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly as: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

interface CrashOperation {
  /** Uses a process without crash points. */
  prepare(operator: Operator, url: string): Promise<Prepared>;
  /** That there is nothing to do; absent: a retry of a completed operation gets its response. */
  readonly retryError?: ErrorCode;
}

let count = 0;
const next = (): string => {
  count += 1;
  return String(count).padStart(5, '0');
};

interface Fixture {
  readonly firmId: string;
  readonly key: string;
  readonly members: readonly { svcId: string; token: string }[];
  readonly stranger: { svcId: string; token: string };
}

async function createFixture(operator: Operator): Promise<Fixture> {
  const firm = await operator.firm();
  const adjuster = () => operator.adjuster({ svcId: `SVC-${next()}` });
  const [stranger, ...members] = await Promise.all([adjuster(), adjuster(), adjuster()]);
  await Promise.all(members.map(({ svcId }) => operator.addMember(firm.id, svcId)));
  return { firmId: firm.id, key: firm.live, members, stranger };
}

async function expectStatus(status: number, response: Promise<ApiResponse>): Promise<ApiResponse['json']> {
  const { status: actual, text, json } = await response;
  if (actual !== status) throw new Error(`expected status ${status}, got ${actual}: ${text}`);
  return json;
}

const claim = (svcId: string): Record<string, unknown> => {
  const number = next();
  return {
    external_id: `EXT-${number}`,
    claim_number: `CLM-${number}`,
    adjuster_svc_id: svcId,
    loss: { date: '2026-08-27' },
    policy: { number: '87-4410029317' },
    carrier: { name: 'Palmetto Mutual Insurance', phone: '813-555-0100' },
    loss_location: { street: '88 Mangrove Court', city: 'Sanibel', state: 'FL', zip: '33957' },
    policyholder: { company_name: 'Gulf Shore Rentals LLC', phone: '239-555-0163' },
  };
};

const newIdempotencyKey = (): Record<string, string> => ({ 'Idempotency-Key': `key-${next()}` });

async function sent(url: string, { key, members }: Fixture): Promise<string> {
  const body = claim(members[0]?.svcId ?? '');
  return (
    await expectStatus(
      201,
      callHttp(url, 'POST', '/v1/claims', { as: key, body, headers: newIdempotencyKey() }),
    )
  ).id;
}

const first = ({ members }: Pick<Fixture, 'members'>): { svcId: string; token: string } =>
  members[0] ?? { svcId: '', token: '' };

const INVITATIONS = '/v1/adjusters/invitations';

/** A fixture in which the outsider has a pending invitation. */
async function invited(operator: Operator, url: string): Promise<Fixture> {
  const fixture = await createFixture(operator);
  const body = { svc_id: fixture.stranger.svcId };
  await expectStatus(201, callHttp(url, 'POST', INVITATIONS, { as: fixture.key, body }));
  return fixture;
}

type RequestOf = (
  fixture: Fixture,
  url: string,
  operator: Operator,
) => Prepared['request'] | Promise<Prepared['request']>;

const prepared =
  (
    requestOf: RequestOf,
    fixtureOf: (operator: Operator, url: string) => Promise<Fixture> = createFixture,
  ): CrashOperation['prepare'] =>
  async (operator, url) => {
    const fixture = await fixtureOf(operator, url);
    return { firmId: fixture.firmId, request: await requestOf(fixture, url, operator) };
  };

/** What a dispatcher does with a claim whose offer is pending. */
const endedAtDesk = (act: 'withdrawal' | 'closure', body?: unknown) =>
  prepared(async (fixture, url, operator) => {
    const { token } = await operator.staff(fixture.firmId, 'dispatcher');
    const path = `/firm/v1/claims/${await sent(url, fixture)}/${act}`;
    return { method: 'POST', path, as: token, ...(body !== undefined && { body }) };
  });

/** What the adjuster answers to a pending offer. */
const answered = (answer: 'acceptance' | 'rejection', body?: unknown) =>
  prepared(async (fixture, url) => {
    const path = `/app/v1/claims/${await sent(url, fixture)}/${answer}`;
    return { method: 'POST', path, as: first(fixture).token, ...(body !== undefined && { body }) };
  });

const answeredInvitation = (answer: 'acceptance' | 'decline') =>
  prepared(
    ({ firmId, stranger }) => ({
      method: 'POST',
      path: `/app/v1/invitations/${firmId}/${answer}`,
      as: stranger.token,
    }),
    invited,
  );

export const CRASH_OPERATIONS = {
  sendClaim: {
    prepare: prepared((fixture) => ({
      method: 'POST',
      path: '/v1/claims',
      as: fixture.key,
      body: claim(first(fixture).svcId),
      headers: newIdempotencyKey(),
    })),
  },
  offerClaim: {
    prepare: prepared(async (fixture, url) => {
      const path = `/v1/claims/${await sent(url, fixture)}/assignment`;
      const body = { adjuster_svc_id: fixture.members[1]?.svcId };
      return { method: 'POST', path, as: fixture.key, body, headers: newIdempotencyKey() };
    }),
  },
  acceptClaim: { retryError: 'offer_not_pending', prepare: answered('acceptance') },
  rejectClaim: {
    retryError: 'offer_not_pending',
    prepare: answered('rejection', { reason: 'Too far.' }),
  },
  closeClaim: {
    prepare: prepared(async (fixture, url) => {
      const path = `/app/v1/claims/${await sent(url, fixture)}`;
      await expectStatus(200, callHttp(url, 'POST', `${path}/acceptance`, { as: first(fixture).token }));
      return { method: 'POST', path: `${path}/closure`, as: first(fixture).token };
    }),
  },
  withdrawBoardOffer: { retryError: 'offer_not_pending', prepare: endedAtDesk('withdrawal') },
  closeBoardClaim: { prepare: endedAtDesk('closure', { reason: 'Sent twice.' }) },
  leaveFirm: {
    retryError: 'not_found',
    prepare: prepared(async (fixture, url) => {
      await sent(url, fixture);
      await sent(url, fixture);
      const path = `/app/v1/firms/${fixture.firmId}/membership`;
      return { method: 'DELETE', path, as: first(fixture).token };
    }),
  },
  inviteAdjuster: {
    retryError: 'invitation_pending',
    prepare: prepared(({ key, stranger }) => {
      const body = { svc_id: stranger.svcId, note: 'Hurricane deployment' };
      return { method: 'POST', path: INVITATIONS, as: key, body };
    }),
  },
  inviteBoardAdjusters: {
    prepare: prepared(async (fixture, _, operator) => {
      const other = await operator.adjuster({ svcId: `SVC-${next()}` });
      const svc_ids = [fixture.stranger.svcId, 'SVC-nobody', first(fixture).svcId, other.svcId];
      const { token } = await operator.staff(fixture.firmId, 'dispatcher');
      return { method: 'POST', path: `/firm${INVITATIONS}/batch`, as: token, body: { svc_ids } };
    }),
  },
  withdrawInvitation: {
    retryError: 'not_found',
    prepare: prepared(
      ({ key, stranger }) => ({
        method: 'DELETE',
        path: `${INVITATIONS}/${stranger.svcId}`,
        as: key,
      }),
      invited,
    ),
  },
  acceptInvitation: { retryError: 'not_found', prepare: answeredInvitation('acceptance') },
  declineInvitation: { retryError: 'not_found', prepare: answeredInvitation('decline') },
  updateSharing: {
    prepare: prepared((fixture) => {
      const path = `/app/v1/firms/${fixture.firmId}/sharing`;
      return { method: 'PUT', path, as: first(fixture).token, body: { clocks: true } };
    }),
  },
  saveCredentials: {
    prepare: prepared((fixture) => {
      const fcn = { number: '0070012345', categories: ['rcbap'], expires_on: '2099-12-31' };
      const path = '/app/v1/me/credentials';
      return { method: 'PUT', path, as: first(fixture).token, body: { fcn } };
    }),
  },
} as const satisfies { readonly [Id in EndpointId]?: CrashOperation };

/** Those that may be repeated; those of the sandbox run the use case of another operation, or change nothing of the compared state. */
type WriteId = {
  [Id in EndpointId]: (typeof endpoints)[Id] extends { readonly write: true }
    ? (typeof endpoints)[Id] extends { readonly repeatable: false } | { readonly sandbox: true }
      ? never
      : Id
    : never;
}[EndpointId];

/** The steps of the model walks. */
export const STEPS = {
  acceptClaim: 'accept',
  acceptInvitation: 'join',
  closeBoardClaim: 'firm closes',
  closeClaim: 'close',
  declineInvitation: 'decline',
  inviteAdjuster: 'invite',
  inviteBoardAdjusters: 'invite many',
  leaveFirm: 'leave',
  offerClaim: 'offer',
  rejectClaim: 'reject',
  sendClaim: 'send',
  updateMembership: 'pause',
  updateWork: 'work',
  withdrawBoardOffer: 'take back',
  withdrawInvitation: 'withdraw',
} as const satisfies { readonly [Id in WriteId]?: Step['do'] };

const SAME_USE_CASE = 'It runs the use case of another operation, with another actor.';
const NOT_COMPARED = 'The compared state has claims, carriers, members and jobs, and nothing of it changes.';
const NOT_A_STEP = 'It is at the crash points. It changes nothing that other operations read.';
const ONE_ROW = 'It changes one row, in a unit of work as the others.';

/** Every other operation is left out of the crash points or the steps with its reason. */
export const LEFT_OUT: Readonly<
  Record<Exclude<WriteId, keyof typeof CRASH_OPERATIONS & keyof typeof STEPS>, string>
> = {
  changeFirm: NOT_COMPARED,
  confirmEmail: NOT_COMPARED,
  endSession: NOT_COMPARED,
  endStaffSession: NOT_COMPARED,
  importClaims: SAME_USE_CASE,
  inviteBoardAdjuster: SAME_USE_CASE,
  inviteStaff: NOT_COMPARED,
  logContact: ONE_ROW,
  offerBoardClaim: SAME_USE_CASE,
  registerDevice: NOT_COMPARED,
  registerPasskey: NOT_COMPARED,
  registerStaffPasskey: NOT_COMPARED,
  removePasskey: NOT_COMPARED,
  removeStaff: NOT_COMPARED,
  removeStaffPasskey: NOT_COMPARED,
  removeWebhook: NOT_COMPARED,
  renamePasskey: NOT_COMPARED,
  renameStaffPasskey: NOT_COMPARED,
  revokeKey: NOT_COMPARED,
  revokeKeysOfMaker: NOT_COMPARED,
  rollKey: NOT_COMPARED,
  saveCredentials: NOT_A_STEP,
  sendBoardClaim: SAME_USE_CASE,
  setDevicePreferences: NOT_COMPARED,
  signOut: NOT_COMPARED,
  signOutStaff: NOT_COMPARED,
  spreadClaims: 'It changes nothing.',
  unregisterDevice: NOT_COMPARED,
  updateAvailability: ONE_ROW,
  updateKey: NOT_COMPARED,
  updateMembership: ONE_ROW,
  updateOwnStaff: NOT_COMPARED,
  updateStaff: NOT_COMPARED,
  updateClocks: NOT_COMPARED,
  updateSharing: NOT_A_STEP,
  updateWebhook: NOT_COMPARED,
  updateWork: ONE_ROW,
  withdrawBoardInvitation: SAME_USE_CASE,
};

export type WriteOperation = CrashOperation & {
  readonly id: keyof typeof CRASH_OPERATIONS;
  readonly successStatus: number;
  readonly takesKey: boolean;
};

export const WRITE_OPERATIONS: readonly WriteOperation[] = (
  Object.keys(CRASH_OPERATIONS) as WriteOperation['id'][]
).map((id) => ({
  ...CRASH_OPERATIONS[id],
  id,
  successStatus: endpoints[id].success.status,
  takesKey: 'headers' in endpoints[id],
}));

export const perform = (
  url: string,
  { request: { method, path, ...call } }: Prepared,
  signal?: AbortSignal,
): Promise<ApiResponse> => callHttp(url, method, path, { ...call, ...(signal !== undefined && { signal }) });
