import type { Operator } from '../../../tools/services/operator.ts';
import { type Answer, callHttp } from './service-under-test.ts';

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

export interface WriteOperation {
  readonly name: string;
  /** Uses a process without crash points. */
  prepare(operator: Operator, url: string): Promise<Prepared>;
  readonly done: number;
  /** The outcome of a retry of a completed operation: a replay, or an error that there is nothing to do. */
  readonly again: readonly (number | string)[];
}

let count = 0;
const next = (): string => {
  count += 1;
  return String(count).padStart(5, '0');
};

interface Scene {
  readonly firmId: string;
  readonly key: string;
  readonly members: readonly { svcId: string; token: string }[];
  readonly stranger: { svcId: string; token: string };
}

async function scene(operator: Operator): Promise<Scene> {
  const firm = await operator.firm();
  const adjuster = () => operator.adjuster({ svcId: `SVC-${next()}` });
  const [stranger, ...members] = await Promise.all([adjuster(), adjuster(), adjuster()]);
  await Promise.all(members.map(({ svcId }) => operator.addMember(firm.id, svcId)));
  return { firmId: firm.id, key: firm.live, members, stranger };
}

async function must(status: number, answer: Promise<Answer>): Promise<Answer['json']> {
  const { status: was, text, json } = await answer;
  if (was !== status) throw new Error(`expected status ${status}, got ${was}: ${text}`);
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

const once = (): Record<string, string> => ({ 'Idempotency-Key': `key-${next()}` });

async function sent(url: string, { key, members }: Scene): Promise<string> {
  const body = claim(members[0]?.svcId ?? '');
  return (await must(201, callHttp(url, 'POST', '/v1/claims', { as: key, body, headers: once() }))).id;
}

const first = ({ members }: Scene): { svcId: string; token: string } =>
  members[0] ?? { svcId: '', token: '' };

const INVITATIONS = '/v1/adjusters/invitations';

/** A fixture in which the outsider has a pending invitation. */
async function invited(operator: Operator, url: string): Promise<Scene> {
  const made = await scene(operator);
  const body = { svc_id: made.stranger.svcId };
  await must(201, callHttp(url, 'POST', INVITATIONS, { as: made.key, body }));
  return made;
}

/** Every operation that changes what a firm can see. */
export const WRITE_OPERATIONS: readonly WriteOperation[] = [
  {
    name: 'send',
    done: 201,
    again: [201],
    async prepare(operator) {
      const made = await scene(operator);
      const request = {
        method: 'POST',
        path: '/v1/claims',
        as: made.key,
        body: claim(first(made).svcId),
        headers: once(),
      };
      return { firmId: made.firmId, request };
    },
  },
  {
    name: 'offer',
    done: 200,
    again: [200],
    async prepare(operator, url) {
      const made = await scene(operator);
      const id = await sent(url, made);
      const body = { adjuster_svc_id: made.members[1]?.svcId };
      const path = `/v1/claims/${id}/assignment`;
      return { firmId: made.firmId, request: { method: 'POST', path, as: made.key, body, headers: once() } };
    },
  },
  {
    name: 'accept',
    done: 200,
    again: ['offer_not_pending'],
    async prepare(operator, url) {
      const made = await scene(operator);
      const path = `/app/v1/claims/${await sent(url, made)}/acceptance`;
      return { firmId: made.firmId, request: { method: 'POST', path, as: first(made).token } };
    },
  },
  {
    name: 'reject',
    done: 200,
    again: ['offer_not_pending'],
    async prepare(operator, url) {
      const made = await scene(operator);
      const path = `/app/v1/claims/${await sent(url, made)}/rejection`;
      return {
        firmId: made.firmId,
        request: { method: 'POST', path, as: first(made).token, body: { reason: 'Too far.' } },
      };
    },
  },
  {
    name: 'close',
    done: 200,
    again: [200],
    async prepare(operator, url) {
      const made = await scene(operator);
      const path = `/app/v1/claims/${await sent(url, made)}`;
      await must(200, callHttp(url, 'POST', `${path}/acceptance`, { as: first(made).token }));
      return {
        firmId: made.firmId,
        request: { method: 'POST', path: `${path}/closure`, as: first(made).token },
      };
    },
  },
  {
    name: 'leave',
    done: 204,
    again: ['not_found'],
    async prepare(operator, url) {
      const made = await scene(operator);
      await sent(url, made);
      await sent(url, made);
      const path = `/app/v1/firms/${made.firmId}/membership`;
      return { firmId: made.firmId, request: { method: 'DELETE', path, as: first(made).token } };
    },
  },
  {
    name: 'invite',
    done: 201,
    again: ['invitation_pending'],
    async prepare(operator) {
      const { firmId, key, stranger } = await scene(operator);
      const body = { svc_id: stranger.svcId, note: 'Hurricane deployment' };
      return { firmId, request: { method: 'POST', path: INVITATIONS, as: key, body } };
    },
  },
  {
    name: 'withdraw',
    done: 200,
    again: ['not_found'],
    async prepare(operator, url) {
      const { firmId, key, stranger } = await invited(operator, url);
      return { firmId, request: { method: 'DELETE', path: `${INVITATIONS}/${stranger.svcId}`, as: key } };
    },
  },
  {
    name: 'join',
    done: 200,
    again: ['not_found'],
    async prepare(operator, url) {
      const { firmId, stranger } = await invited(operator, url);
      const path = `/app/v1/invitations/${firmId}/acceptance`;
      return { firmId, request: { method: 'POST', path, as: stranger.token } };
    },
  },
  {
    name: 'decline',
    done: 200,
    again: ['not_found'],
    async prepare(operator, url) {
      const { firmId, stranger } = await invited(operator, url);
      const path = `/app/v1/invitations/${firmId}/decline`;
      return { firmId, request: { method: 'POST', path, as: stranger.token } };
    },
  },
];

export const perform = (
  url: string,
  { request: { method, path, ...call } }: Prepared,
  signal?: AbortSignal,
): Promise<Answer> => callHttp(url, method, path, { ...call, ...(signal !== undefined && { signal }) });
