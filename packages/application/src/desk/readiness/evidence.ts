import type { AssignmentStatus, ClaimId, Instant } from '@svc/domain';
import type { ClientBehavior, LoggedRequest, ReadPage } from '../../model/logged-request.ts';

export interface GradedRequest extends LoggedRequest {
  readonly behavior: ClientBehavior;
}

/** A claim as it is now. */
export interface GradedClaim {
  readonly id: ClaimId;
  readonly status: AssignmentStatus;
  readonly updatedAt: Instant;
}

export const SEND = 'POST /v1/claims';
export const OFFER = 'POST /v1/claims/{id}/assignment';
export const LIST = 'GET /v1/claims';

export const endOf = ({ at, durationMs }: LoggedRequest): Instant => at + durationMs;

export const isSuccess = ({ status }: LoggedRequest): boolean =>
  status !== null && status >= 200 && status < 300;

/** The client cannot know whether it was processed. */
export const hasFailed = ({ status }: LoggedRequest): boolean =>
  status === null || status >= 500 || status === 408 || status === 425;

export const isRead = ({ behavior }: GradedRequest): boolean => behavior.operation.startsWith('GET ');

/** A successful poll for changes, or a further page of one. */
export interface Poll extends GradedRequest {
  readonly page: ReadPage & { readonly since: Instant };
}

/** A list without `updated_since` shows claims, but does not follow changes. */
export function pollsOf(requests: readonly GradedRequest[]): Poll[] {
  return requests.flatMap((request) => {
    const { page } = request.behavior;
    if (page === undefined || page.since === null || page.isFiltered || !isSuccess(request)) return [];
    return [{ ...request, page: { ...page, since: page.since } }];
  });
}

export function groupBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

/** Attempts of the same request, earliest first, by what makes them the same. */
export interface Attempts {
  readonly writes: readonly GradedRequest[][];
  /** Reads of one key at one path: its limit is shared, whatever the parameters. */
  readonly reads: readonly GradedRequest[][];
}

/** Where no body was read, as at a rate limit, the Idempotency-Key says which write it was. */
export function attemptsOf(requests: readonly GradedRequest[]): Attempts {
  const writes = requests.filter(({ behavior: { operation } }) => operation === SEND || operation === OFFER);
  const subjectOfKey = new Map<string, string>();
  for (const { behavior } of writes) {
    if (behavior.idempotencyKey !== undefined && behavior.subject !== undefined)
      subjectOfKey.set(behavior.idempotencyKey, behavior.subject);
  }
  const subjectOf = ({ behavior: { idempotencyKey: key, subject } }: GradedRequest): string | undefined =>
    subject ?? (key === undefined ? undefined : (subjectOfKey.get(key) ?? key));
  const reads = requests.filter(isRead);
  return {
    writes: [...groupBy(writes, subjectOf).values()],
    reads: [
      ...groupBy(reads, ({ keyId, behavior: { operation, claimId = '' } }) =>
        [keyId, operation, claimId].join(' '),
      ).values(),
    ],
  };
}
