import { expect } from '@jest/globals';
import { type ApiResponse, claimBody, type ServiceUnderTest, sendClaim } from './service-under-test.ts';

// Helpers for tests of the firm API.

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

let keys = 0;
/** A new Idempotency-Key. */
export const freshKey = (): string => {
  keys += 1;
  return `fresh-${keys}-${Math.random().toString(36).slice(2)}`;
};

/** Status and code of an error, or only the status of a success. */
export const outcome = (response: ApiResponse): unknown[] =>
  response.status < 400 ? [response.status] : [response.status, response.json?.code];

/** The locations of validation errors, sorted. */
const errorLocations = (response: ApiResponse): string[] =>
  (response.json?.errors ?? [])
    .map((item: Record<string, string>) => item.pointer ?? item.parameter ?? item.header)
    .sort();

/** Expects `validation_failed` with exactly these error locations. */
export function expectValidationErrors(response: ApiResponse, ...where: string[]): void {
  expect([...outcome(response), errorLocations(response)]).toEqual([
    422,
    'validation_failed',
    [...where].sort(),
  ]);
}

type Service = Pick<ServiceUnderTest, 'call'>;

export const getClaim = (service: Service, key: string, id: string): Promise<ApiResponse> =>
  service.call('GET', `/v1/claims/${id}`, { as: key });

export const listClaims = (service: Service, key: string, query = ''): Promise<ApiResponse> =>
  service.call('GET', `/v1/claims${query === '' ? '' : `?${query}`}`, { as: key });

/** Sends a valid claim, which must succeed, and returns it. */
export async function sentClaim(
  service: Service,
  key: string,
  adjuster: string,
  changes: Readonly<Record<string, unknown>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
): Promise<any> {
  const response = await sendClaim(service, key, claimBody(adjuster, changes));
  expect(outcome(response)).toEqual([201]);
  return response.json;
}

export const offerClaim = (
  service: Service,
  key: string,
  id: string,
  adjuster: unknown,
  idempotencyKey: string = freshKey(),
): Promise<ApiResponse> =>
  service.call('POST', `/v1/claims/${id}/assignment`, {
    as: key,
    body: { adjuster_svc_id: adjuster },
    headers: { 'Idempotency-Key': idempotencyKey },
  });

export const acceptClaim = (
  service: Service,
  token: string,
  id: string,
  offeredAt?: string,
): Promise<ApiResponse> =>
  service.call('POST', `/app/v1/claims/${id}/acceptance`, {
    as: token,
    ...(offeredAt !== undefined && { body: { offered_at: offeredAt } }),
  });

export const rejectClaim = (
  service: Service,
  token: string,
  id: string,
  reason?: string,
): Promise<ApiResponse> =>
  service.call('POST', `/app/v1/claims/${id}/rejection`, {
    as: token,
    body: reason === undefined ? {} : { reason },
  });

export const invite = (
  service: Service,
  key: string,
  svcId: unknown,
  notes: Readonly<Record<string, unknown>> = {},
): Promise<ApiResponse> =>
  service.call('POST', '/v1/adjusters/invitations', { as: key, body: { svc_id: svcId, ...notes } });

export const withdraw = (service: Service, key: string, svcId: string): Promise<ApiResponse> =>
  service.call('DELETE', `/v1/adjusters/invitations/${encodeURIComponent(svcId)}`, { as: key });

export const answerInvitation = (
  service: Service,
  token: string,
  firmId: string,
  answer: 'acceptance' | 'decline',
): Promise<ApiResponse> => service.call('POST', `/app/v1/invitations/${firmId}/${answer}`, { as: token });

export const leaveFirm = (service: Service, token: string, firmId: string): Promise<ApiResponse> =>
  service.call('DELETE', `/app/v1/firms/${firmId}/membership`, { as: token });

/** All rows of a list, over all pages. */
export async function wholeList(
  service: Service,
  key: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
): Promise<any[]> {
  const rows = [];
  let cursor: string | null = null;
  do {
    const search = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
    const page = await service.call('GET', `${path}?${search}`, { as: key });
    expect(outcome(page)).toEqual([200]);
    rows.push(...page.json.data);
    cursor = page.json.next_cursor;
  } while (cursor !== null);
  return rows;
}

/** The adjuster's record in the firm's list, if any. */
export const adjusterRecord = async (
  service: Service,
  key: string,
  svcId: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests read untyped responses
): Promise<any> => (await wholeList(service, key, '/v1/adjusters')).find((record) => record.svc_id === svcId);
