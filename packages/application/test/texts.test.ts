import { describe, expect, test } from '@jest/globals';
import { DAY } from '@svc/domain';
import fc from 'fast-check';
import {
  REQUEST_LOG_RETENTION_MS,
  TooManyAttempts,
  tlsProblem,
  toDateTime,
  toDateTimeOrNull,
  Unavailable,
} from '../src/index.ts';

describe('a serialized time', () => {
  test('equals Date.toISOString, in any order of calls', () => {
    const instants = fc.integer({
      min: Date.parse('0001-01-01T00:00:00Z'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    });
    fc.assert(
      fc.property(instants, (instant) => expect(toDateTime(instant)).toBe(new Date(instant).toISOString())),
    );
  });

  test.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:00:00.000Z',
  ])('is correct at the boundary of a day: %s', (text) => {
    expect(toDateTime(Date.parse(text))).toBe(text);
  });
});

test('an error of a store has the name that is logged, and the reason of metrics unless it has none', () => {
  expect(new Unavailable('away')).toMatchObject({ name: 'Unavailable', message: 'away', reason: 'other' });
  expect(new Unavailable('full', 'overload').reason).toBe('overload');
  expect(new TooManyAttempts(1).message).toBe('Too many attempts.');
});

test('the request log is kept for 14 days', () => {
  expect(REQUEST_LOG_RETENTION_MS).toBe(14 * DAY);
});

test('a missing time is serialized as null', () => {
  expect(toDateTimeOrNull(null)).toBeNull();
  expect(toDateTimeOrNull(0)).toBe('1970-01-01T00:00:00.000Z');
});

test.each([
  [
    "Hostname/IP does not match certificate's altnames: Host: db",
    /^its certificate is for another host name; /,
  ],
  ['tlsv1 alert: Wrong host', /^its certificate is for another host name; /],
  ['self-signed certificate in certificate chain', /^its certificate is not signed by a trusted authority; /],
  ['self signed certificate', /^its certificate is not signed by a trusted authority; /],
  ['unable to verify the first certificate', /^its certificate is not signed by a trusted authority; /],
  ['unable to get local issuer certificate', /^its certificate is not signed by a trusted authority; /],
  ['certificate has expired', /^its certificate is not valid at this time$/],
  ['certificate is not yet valid', /^its certificate is not valid at this time$/],
  ['The server does not support SSL connections', /^it does not offer TLS$/],
  ['error:0A00010B:SSL routines::wrong version number', /^it does not offer TLS$/],
  ['Error upgrading connection with STARTTLS', /^it does not offer TLS$/],
])('the problem of a TLS connection that failed is recognized: %s', (message, problem) => {
  expect(tlsProblem(new Error(message))).toMatch(problem);
});

test('another error is not reported as a problem of TLS', () => {
  expect(tlsProblem(new Error('connect ECONNREFUSED 127.0.0.1:5432'))).toBeNull();
  expect(tlsProblem({ message: 1 })).toBeNull();
});
