import type { ClaimId } from '@svc/domain';
import { operatorOf } from '../../../tools/services/operator.ts';
import type { Environment, Step } from './model.ts';
import { type ApiResponse, callHttp, type ServiceUnderTest } from './service-under-test.ts';

/** The result of a step. */
interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly replayed: boolean;
  /** Of the claim in the response. */
  readonly assignment?: string;
  /** The numbers of the claims in the response, in its order; -1: none of this world. */
  readonly claims: readonly number[];
}

const NOTHING: Outcome = { status: 0, replayed: false, claims: [] };

const STATUSES = [undefined, 'pending_acceptance', 'accepted', 'rejected', 'unassigned'] as const;
const LISTS = ['pending_acceptance', 'accepted', 'closed'] as const;
/** Adjusters are numbered: these real ones, then the test account of each firm. */
export const REAL_ADJUSTERS = 3;

let worlds = 0;

/** Two firms and their adjusters, created for each sequence of steps. */
export async function createWorld(host: ServiceUnderTest, start: number) {
  worlds += 1;
  const world = `w${worlds}`;
  const { url } = host;
  const { services } = host.service;
  const claims: string[] = [];
  const firms: { id: string; live: string; test: string; dispatcher: string }[] = [];
  const people: { svcId: string; token: string }[] = [];
  const operator = operatorOf(services);

  for (let n = 0; n < REAL_ADJUSTERS; n += 1)
    people.push(await operator.adjuster({ svcId: `SVC-${world}-${n}`, lastName: `D${n}` }));
  for (let n = 0; n < 2; n += 1) {
    const { id, live, test, account } = await operator.firm({ name: `Firm ${n}` });
    firms.push({ id, live, test, dispatcher: (await operator.staff(id, 'dispatcher')).token });
    people.push({ svcId: account.manual, token: await operator.session(account.manual) });
    // Adjusters 0 and 1 are members of the first firm, adjuster 1 also of the second.
    for (const { svcId } of people.slice(0, REAL_ADJUSTERS).slice(n, 2)) await operator.addMember(id, svcId);
  }

  const outcomeOf = ({ status, headers, json }: ApiResponse): Outcome => ({
    status,
    ...(status >= 400 && { code: json.code }),
    replayed: headers.get('Idempotent-Replayed') === 'true',
    assignment: json?.assignment?.status,
    claims: (json?.data ?? [json ?? {}]).flatMap(({ id, assignment }: { id: string; assignment?: object }) =>
      assignment === undefined ? [] : claims.indexOf(id),
    ),
  });
  const unknown = '00000000-0000-4000-8000-000000000000';
  const claimId = (which: number): string => claims[which] ?? unknown;
  const svcId = (adjuster: number): string => people[adjuster]?.svcId ?? '';
  const tokenOf = (adjuster: number): string => people[adjuster]?.token ?? '';
  const dispatcherOf = (firm: number): string => firms[firm]?.dispatcher ?? '';
  const keyOf = ({ firm, env }: { firm: number; env: Environment }): string => firms[firm]?.[env] ?? '';

  async function call(
    method: string,
    path: string,
    as: string,
    body?: unknown,
    key?: number,
  ): Promise<Outcome> {
    const response = await callHttp(url, method, path, {
      as,
      ...(body !== undefined && { body }),
      ...(key !== undefined && { headers: { 'Idempotency-Key': `key ${key}` } }),
    });
    const made = path === '/v1/claims' && response.status === 201 && !claims.includes(response.json.id);
    if (made) claims.push(response.json.id);
    return outcomeOf(response);
  }

  /** All pages of a list, combined. */
  async function all(path: string, query: Record<string, string>, as: string): Promise<Outcome> {
    let cursor: string | null = null;
    const pages: Outcome[] = [];
    do {
      const search: string = new URLSearchParams({ ...query, ...(cursor !== null && { cursor }) }).toString();
      const response = await callHttp(url, 'GET', `${path}?${search}`, { as });
      cursor = response.json?.next_cursor ?? null;
      pages.push(outcomeOf(response));
    } while (cursor !== null);
    const failed = pages.find(({ status }) => status !== 200);
    return { ...NOTHING, status: 200, ...failed, claims: pages.flatMap((page) => page.claims) };
  }

  return {
    async take(step: Step): Promise<Outcome> {
      switch (step.do) {
        case 'wait':
          return NOTHING;
        case 'operator closes':
          if (claims[step.which] !== undefined)
            await services.closeClaimAsOperator(claimId(step.which) as ClaimId);
          return NOTHING;
        case 'send': {
          const body = {
            external_id: `E-${step.external}`,
            claim_number: `C-${step.claim}`,
            adjuster_svc_id: svcId(step.adjuster),
            loss: { date: '2026-08-27' },
            policy: { number: 'P-1' },
            carrier:
              step.external % 2 === 0
                ? { name: 'Carrier' }
                : { name: ' CARRIER', phone: `813-555-010${step.claim}` },
            loss_location: { street: '88 Mangrove Court', city: 'Sanibel', state: 'FL', zip: '33957' },
            policyholder: { company_name: 'Gulf Shore Rentals LLC', phone: '239-555-0163' },
          };
          return call('POST', '/v1/claims', keyOf(step), body, step.key);
        }
        case 'offer': {
          const body = { adjuster_svc_id: svcId(step.adjuster) };
          return call('POST', `/v1/claims/${claimId(step.which)}/assignment`, keyOf(step), body, step.key);
        }
        case 'get':
          return call('GET', `/v1/claims/${claimId(step.which)}`, keyOf(step));
        case 'list': {
          const status = STATUSES[step.status];
          return all(
            '/v1/claims',
            {
              limit: String(step.limit),
              ...(status !== undefined && { assignment_status: status }),
              ...(step.since > 0 && { updated_since: new Date(start + step.since - 1).toISOString() }),
            },
            keyOf(step),
          );
        }
        case 'invite':
          return call('POST', '/v1/adjusters/invitations', keyOf(step), { svc_id: svcId(step.adjuster) });
        case 'invite many': {
          const path = `/firm/v1/adjusters/invitations/batch?environment=${step.env}`;
          const svc_ids = people.map(({ svcId }) => svcId);
          return call('POST', path, dispatcherOf(step.firm), { svc_ids });
        }
        case 'withdraw':
          return call('DELETE', `/v1/adjusters/invitations/${svcId(step.adjuster)}`, keyOf(step));
        case 'adjusters':
          return all('/v1/adjusters', { limit: String(step.limit) }, keyOf(step));
        case 'accept':
          return call('POST', `/app/v1/claims/${claimId(step.which)}/acceptance`, tokenOf(step.adjuster));
        case 'reject': {
          const path = `/app/v1/claims/${claimId(step.which)}/rejection`;
          return call(
            'POST',
            path,
            tokenOf(step.adjuster),
            step.which % 2 === 0 ? { reason: 'Too far.' } : undefined,
          );
        }
        case 'close':
          return call('POST', `/app/v1/claims/${claimId(step.which)}/closure`, tokenOf(step.adjuster));
        case 'take back':
        case 'firm closes': {
          const act = step.do === 'take back' ? 'withdrawal' : 'closure';
          return call('POST', `/firm/v1/claims/${claimId(step.which)}/${act}`, dispatcherOf(step.firm));
        }
        case 'work': {
          const body = { notes: `n${step.which}`, contact_date: '2026-08-30' };
          return call('PATCH', `/app/v1/claims/${claimId(step.which)}/work`, tokenOf(step.adjuster), body);
        }
        case 'read':
          return call('GET', `/app/v1/claims/${claimId(step.which)}`, tokenOf(step.adjuster));
        case 'leave':
          return call('DELETE', `/app/v1/firms/${firms[step.firm]?.id}/membership`, tokenOf(step.adjuster));
        case 'join':
          return call(
            'POST',
            `/app/v1/invitations/${firms[step.firm]?.id}/acceptance`,
            tokenOf(step.adjuster),
          );
        case 'decline':
          return call('POST', `/app/v1/invitations/${firms[step.firm]?.id}/decline`, tokenOf(step.adjuster));
        case 'pause':
        case 'resume': {
          const body = { accepting_assignments: step.do === 'resume' };
          return call(
            'PATCH',
            `/app/v1/firms/${firms[step.firm]?.id}/membership`,
            tokenOf(step.adjuster),
            body,
          );
        }
        case 'offers':
          return all(
            '/app/v1/claims',
            { limit: String(step.limit), status: LISTS[step.status] ?? 'pending_acceptance' },
            tokenOf(step.adjuster),
          );
        case 'invitations':
          return all('/app/v1/invitations', { limit: '1' }, tokenOf(step.adjuster));
        case 'profile':
          return call('GET', '/app/v1/me', tokenOf(step.adjuster));
      }
    },
  };
}
