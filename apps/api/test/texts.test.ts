import { expect, test } from '@jest/globals';
import { invalidKey } from '../src/http/pipeline/credentials.ts';
import { errorLocations, withoutValues } from '../src/http/problems/error-locations.ts';
import { createIntendedPath } from '../src/http/problems/unknown-path.ts';
import { exchange } from './exchange.ts';

const USAGE = 'Send Authorization: Bearer followed by your API key.';
const WITHOUT = 'without quotes or other text';
const KEY = 'svc_live_QlhnEQEpMten95g9A10CasxLSBgR8YyZ9tN3aJKHkaa3anBGH';

const of = (authorization: string) => ({ authorization });

test.each<[Record<string, string>, detail: string]>([
  [{}, `The Authorization header is missing. ${USAGE}`],
  [of(' '), `The Authorization header is missing. ${USAGE}`],
  [{ 'x-api-key': KEY }, `The Authorization header is missing; X-Api-Key is not read. ${USAGE}`],
  [of('Bearer'), `The Authorization header has no key after Bearer. ${USAGE}`],
  [of('bearer  '), `The Authorization header has no key after Bearer. ${USAGE}`],
  [of(`Bearer ${KEY} x`), `The Authorization header has more than one value after Bearer. ${USAGE}`],
  [of(KEY), `The word Bearer is missing before the key. ${USAGE}`],
  [of('svc_test_x'), `The word Bearer is missing before the key. ${USAGE}`],
  [of('Basic a'), `The Authorization header has another scheme than Bearer. ${USAGE}`],
  [of('Bearer svc_app_x'), 'This is a session token of the adjuster app. Use an API key of your firm.'],
  [of('Bearer x'), `The value after Bearer is not an API key: keys start with svc_live_ or svc_test_.`],
  [of('Bearer  svc_test_ '), 'The API key is incomplete or has a wrong character. Copy the whole key again.'],
  [of(`Bearer "${KEY}"`), `The value after Bearer does not start with the key. Send the key ${WITHOUT}.`],
])('a request with %j, which has no key, is refused with what is wrong', (headers, detail) => {
  const refused = ([null, 'malformed'] as const).map((one) => invalidKey(exchange(headers).request, one));
  const [problem, malformed] = refused.map(({ code, extra }) => ({ code, extra }));
  expect([problem, malformed]).toEqual(Array(2).fill({ code: 'invalid_key', extra: { detail } }));
});

test.each([
  ['unknown', 'No API key has this value. Copy the key again, or request a new one.'],
  ['revoked', 'This API key was revoked. Use its successor, or request a new key.'],
  ['expired', 'This API key has expired. Use its successor, or request a new key.'],
] as const)('a key that is %s is refused with what to do', (rejected, detail) => {
  const { code, extra } = invalidKey(exchange(of(`Bearer ${KEY}`)).request, rejected);
  expect([code, extra]).toEqual(['invalid_key', { detail }]);
});

test.each([
  ['/v1/claims/', '/v1/claims'],
  ['/v1//claims', '/v1/claims'],
  ['/claims', '/v1/claims'],
  ['/api/claims', '/v1/claims'],
  ['/api/v1/claims', '/v1/claims'],
  ['/v1/v1/claims', '/v1/claims'],
  ['/V1/Claims', '/v1/claims'],
  ['/claims/A', '/v1/claims/A'],
  ['/claims/A/b', null],
  ['/apiclaims', null],
  ['/', null],
  ['/app/v1/me/', null],
  [`/claims/${'a'.repeat(292)}`, `/v1/claims/${'a'.repeat(292)}`],
  [`/claims/${'a'.repeat(293)}`, null],
])('a wrong path %s stands for %s', (path, intended) => {
  expect(createIntendedPath(['/v1/claims', '/v1/claims/{id}', '/app/v1/me'])(path)).toBe(intended);
});

test.each([
  ['Must be one of A, B; did you mean A?', 'Must be one of A, B.'],
  ['The body has a duplicate member: /Ana.', 'The body has a duplicate member.'],
  ['No field is named "A\\"na", it starts with "B".', 'No field is named *, it starts with *.'],
  ['x'.repeat(301), 'x'.repeat(300)],
])('of the detail %j the log has %j', (detail, logged) => {
  expect(withoutValues(detail)).toBe(logged);
});

test('the log has each place of an error once, with names of the interface and places in lists alone', () => {
  const at = <Location extends object>(location: Location, detail = 'No.') => ({ detail, ...location });
  expect(
    errorLocations([
      ...[at({ pointer: '/loss/date' }), at({ pointer: '/loss/date' }, 'Again.'), at({ pointer: '' })],
      ...[
        at({ pointer: '/additional_contacts/0/Ana/12345' }),
        at({ parameter: 'limit' }),
        at({ parameter: 'Ana' }),
      ],
      ...[
        at({ header: 'Idempotency-Key' }),
        at({ header: 'Ana' }),
        at({ pointer: '/email' }),
        at({ pointer: '/rules/12/carrier' }),
      ],
    ]),
  ).toEqual({
    places: [
      ...['/loss/date', '', '/additional_contacts/0/*/*', '?limit', '?*', 'Idempotency-Key:', '*:', '/email'],
      '/*/12/carrier',
    ],
    details: Array(9).fill('No.'),
  });
  const many = Array.from({ length: 51 }, (_, n) => at({ pointer: `/additional_contacts/${n}` }, `${n}`));
  const { places, details } = errorLocations(many);
  expect([places.length, places.at(-1), details.length, details.at(-1)]).toEqual([
    50,
    '/additional_contacts/49',
    20,
    '19',
  ]);
  expect(errorLocations(undefined)).toEqual({ places: [], details: [] });
});
