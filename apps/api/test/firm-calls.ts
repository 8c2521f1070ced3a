import { expect } from '@jest/globals';
import { type ApiResponse, claimBody, type ServiceUnderTest, sendClaim } from './service-under-test.ts';

// Helpers for tests of the firm API.

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
let keys = 0;
/** A new Idempotency-Key. */
export const freshKey = (): string => {
  keys += 1;
  return `fresh-${keys}-${Math.random().toString(36).slice(2)}`;
};

/** Status and code of an error, or only the status of a success. */
export const outcome = (response: ApiResponse): unknown[] =>
  response.status < 400 ? [response.status] : [response.status, response.json?.code];

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
