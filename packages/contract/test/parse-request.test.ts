import { describe, expect, it } from '@jest/globals';
import {
  type Endpoint,
  endpoints,
  LIMITS,
  mcpEndpoint,
  parseRequest,
  smallestClaim,
  surgeClaim,
} from '../src/index.ts';
import { claimWith, errorsOf, pointersOf, sendClaim, throughJson } from './requests.ts';

const list = (search: string) => parseRequest(endpoints.listClaims, { search });
const queryErrors = (search: string) => errorsOf(list(search)).map(({ parameter }) => parameter);
const queryOf = (search: string) => {
  const result = list(search);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.value.query;
};

describe('a valid body', () => {
  it('is returned as the same object, with its fields in the order they were sent', () => {
    const { loss, external_id, ...rest } = surgeClaim;
    const body = throughJson({ loss: { ...loss, date: loss.date }, ...rest, external_id });
    const result = sendClaim(body);
    expect(result.ok && result.value.body).toBe(body);
    expect(JSON.stringify(result.ok && result.value.body)).toBe(JSON.stringify(body));
  });
});

describe('an invalid body', () => {
  it('gets all its errors at once, in the order of the documentation', () => {
    const body = {
      claim_number: ' 1',
      loss: { date: '2023-02-30', hour: 4 },
      policy: {},
      carrier: { name: 'C', address: { street: 's', city: 'c', state: 'FL' } },
      loss_location: { street: 's', city: 'c', state: 'Florida', zip: '1' },
      policyholder: { first_name: 'A' },
      estimate: { contents_tax_rate: 7 },
      extra: 1,
    };
    const result = parseRequest(endpoints.sendClaim, { body, search: 'dry_run=true' });
    expect(errorsOf(result).map(({ detail: _, ...location }) => location)).toEqual([
      { parameter: 'dry_run' },
      { header: 'Idempotency-Key' },
      { pointer: '/external_id' },
      { pointer: '/claim_number' },
      { pointer: '/adjuster_svc_id' },
      { pointer: '/loss/date' },
      { pointer: '/loss/hour' },
      { pointer: '/policy/number' },
      { pointer: '/carrier/address/zip' },
      { pointer: '/loss_location/state' },
      { pointer: '/loss_location/zip' },
      { pointer: '/policyholder/last_name' },
      { pointer: '/policyholder' },
      { pointer: '/estimate/contents_tax_rate' },
      { pointer: '/extra' },
    ]);
  });

  it.each([[[]], ['text'], [5], [true], [null], [undefined]])(
    'gets one error with an empty pointer when it is %j',
    (body) => {
      expect(pointersOf(body)).toEqual(['']);
    },
  );

  it.each([
    ['/loss_location/state', 'Florida', 'did you mean FL?'],
    ['/loss_location/state', 'fl', 'did you mean FL?'],
    ['/loss_location/state', ' new  york', 'did you mean NY?'],
    ['/loss_location/state', 'D.C.', 'did you mean DC?'],
    ['/loss_location/state', 'FLA', null],
    ['/loss_location/state', 'AE', null],
    ['/building/occupancy_type', 'Single Family Home', 'did you mean single_family_home?'],
    ['/building/occupancy_type', 'SingleFamilyHome', 'did you mean single_family_home?'],
    ['/building/firm_status', 'Post-FIRM', 'did you mean post_firm?'],
    ['/building/flood_zone', 'a08', 'did you mean A8?'],
    ['/loss_location/zip', 33957, 'send it in quotes.'],
    ['/loss_location/zip', 2138, 'send it in quotes; write the first zero if the code begins with one.'],
    ['/loss/date', 45292, null],
    ['/loss/date', 20260827, 'send it in quotes; did you mean 2026-08-27?'],
    ['/loss/cat_code', 1e21, 'send it in quotes.'],
    ['/policy/naic_number', 1234, null],
    ['/loss_location/zip', '339314207', 'ZIP+4 has a hyphen after the fifth digit.'],
    ['/loss_location/zip', ' 2108 ', 'write the first zero if the code begins with one.'],
    ...[
      ...['08/27/2026', '8-27-2026', '2026/8/27', '2026.08.27', '20260827', '2026-08-27 00:00:00'],
      ...['2026-08-27T00:00', '2026-08-27t00:00:00z', '2026-08-27T00:00:00.000-05:00'],
    ].map((date): [string, string, string] => ['/loss/date', date, 'did you mean 2026-08-27?']),
    ['/loss/date', ' 2026/8/7 ', 'did you mean 2026-08-07?'],
    ['/loss/date', '05/13/2026', 'did you mean 2026-05-13?'],
    ...[
      ...['2026-08-27T00:00:01Z', '2026-08-27T03:30:00Z', '05/12/2026', '08/07/2026', '27.08.2026'],
      'yesterday',
    ].map((date): [string, string, null] => ['/loss/date', date, null]),
  ])('at %s, %j: %s', (pointer, value, hint) => {
    const errors = errorsOf(sendClaim(claimWith(pointer, value)));
    const detail = errors.find((error) => error.pointer === pointer)?.detail ?? '';
    const [, given = null] = /; (?!received|see)(.*)$/.exec(detail.replace(/; received [^;.]*/, '')) ?? [];
    expect(detail).toMatch(/^Must be /);
    expect(given).toBe(hint);
  });

  it.each([
    ['/external_id', undefined, 'This field is required'],
    ['/external_id', ' A-1 ', 'start or end with whitespace'],
    ['/policyholder', { first_name: 'A', last_name: 'B' }, 'Send phone or email'],
    ['/file_number', null, 'omit it'],
    ['/file_number', '', '1 to 100 characters'],
    ['/coverages/building_limit', 2500.001, 'at most two decimals'],
    ['/estimate/contents_tax_rate', 7, 'such as 0.07 for 7%'],
    ['/loss/date', '2026-02-30', 'Must be a valid calendar date'],
    ...Object.entries({ 'an array': [], 'an object': {}, 'a boolean': true, 'a number': 45292 }).map(
      ([type, value]): [string, unknown, string] => ['/loss/date', value, `received ${type}.`],
    ),
    ['/created_at', '2026-08-29T14:52:07.113Z', 'Unknown field.'],
    ['/loss_location/state', 'XX', 'USPS code of a state, DC, AS, GU, MP, PR or VI.'],
    ['/building/flood_zone', 'A31', '; see "Flood zones" in the documentation.'],
  ])('at %s, %j says %s', (pointer, value, hint) => {
    const errors = errorsOf(sendClaim(claimWith(pointer, value)));
    expect(errors).toEqual([{ pointer, detail: expect.stringContaining(hint) }]);
  });

  it('gets errors that do not quote its values', () => {
    const secret = 'Xq7 secret street';
    const result = sendClaim({
      ...smallestClaim,
      policyholder: { company_name: 'C', email: secret, phone: 'call Xq secret' },
      loss_location: { street: 's', city: 'c', state: secret, zip: secret },
    });
    expect(errorsOf(result)).toHaveLength(4);
    expect(JSON.stringify(result)).not.toContain('Xq');
  });
});

describe('hostile bodies', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'with the field %s are rejected at every level and pollute no prototype',
    (name) => {
      const text = JSON.stringify(smallestClaim);
      const top = `${text.slice(0, -1)},"${name}":{"test":true}}`;
      const inner = text.replace('"loss":{', `"loss":{"${name}":{"polluted":true},`);
      const contact = `${text.slice(0, -1)},"additional_contacts":[{"company_name":"C","${name}":1}]}`;
      expect(pointersOf(JSON.parse(top))).toEqual([`/${name}`]);
      expect(pointersOf(JSON.parse(inner))).toEqual([`/loss/${name}`]);
      expect(pointersOf(JSON.parse(contact))).toEqual([`/additional_contacts/0/${name}`]);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('cannot supply a required field through the prototype', () => {
    const { external_id, ...rest } = smallestClaim;
    const body = JSON.parse(
      `${JSON.stringify(rest).slice(0, -1)},"__proto__":{"external_id":"${external_id}"}}`,
    );
    expect(pointersOf(body)).toEqual(['/external_id', '/__proto__']);
  });

  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

  it('with 40,000 unknown fields get 100 errors and the total count', () => {
    const result = sendClaim({ ...smallestClaim, ...unknown(40_000) });
    expect(errorsOf(result)).toHaveLength(LIMITS.problemErrors);
    expect(errorsOf(result)[99]).toMatchObject({ pointer: '/k99' });
    expect(result).toMatchObject({ errorCount: 40_000 });
  });

  it('have every error counted once: of fields, unknown fields and parameters', () => {
    const result = parseRequest(endpoints.sendClaim, {
      body: { ...smallestClaim, external_id: '', ...unknown(150) },
      headers: { 'idempotency-key': 'k' },
      search: Array.from({ length: 60 }, (_, index) => `p${index}=1`).join('&'),
    });
    expect(errorsOf(result)).toHaveLength(LIMITS.problemErrors);
    expect(result).toMatchObject({ errorCount: 211 });
  });

  it('get fewer errors at operations without authentication', () => {
    const result = parseRequest(endpoints.signIn, { body: unknown(500) });
    expect(errorsOf(result)).toHaveLength(LIMITS.openProblemErrors);
  });

  it('nested 500,000 levels deep do not overflow the stack', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 500_000; depth++) deep = depth % 2 === 0 ? [deep] : { a: deep };
    expect(pointersOf([deep])).toEqual(['']);
    expect(pointersOf(claimWith('/x', deep))).toEqual(['/x']);
    expect(pointersOf(claimWith('/loss/date', deep))).toEqual(['/loss/date']);
    expect(pointersOf(claimWith('/building', [deep]))).toEqual(['/building']);
    expect(pointersOf(claimWith('/additional_contacts', [[deep]]))).toEqual(['/additional_contacts/0']);
  });

  it('with names that need escaping get RFC 6901 pointers', () => {
    expect(pointersOf({ ...smallestClaim, 'a/b~c': 1, '': 1 })).toEqual(['/a~1b~0c', '/']);
  });

  it('with an unpaired surrogate in a name point to the object, so that strict JSON parsers read them', () => {
    const result = sendClaim({ ...smallestClaim, 'x\ud800': 1, 'y\0': 2, '😀': 3 });
    expect(errorsOf(result).map(({ pointer }) => pointer)).toEqual(['', '/y\0', '/😀']);
    expect(errorsOf(result)[0]?.detail).toBe('Contains an unknown field named "x\\ud800".');
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it('get suggestions for up to five unknown fields: more of them are no typos', () => {
    const six = ['claim_nmber', 'policcy', 'los', 'carier', 'k', 'l'];
    const details = (names: string[]) =>
      errorsOf(sendClaim({ ...smallestClaim, ...Object.fromEntries(names.map((name) => [name, 1])) })).map(
        ({ detail }) => detail,
      );
    expect(details(six.slice(0, 5))[0]).toBe('Unknown field. Did you mean claim_number?');
    expect(details(six)).toEqual(six.map(() => 'Unknown field.'));
  });

  it('with a name of more than 100 characters get an error at the object, which cuts it between characters', () => {
    const errorOf = (name: string) =>
      errorsOf(sendClaim({ ...smallestClaim, loss: { date: '2026-08-27', [name]: 1 } }));
    const starting = (shown: string) => [
      { pointer: '/loss', detail: `Contains an unknown field whose name starts with "${shown}".` },
    ];
    expect(errorOf('n'.repeat(100))).toEqual([
      { pointer: `/loss/${'n'.repeat(100)}`, detail: 'Unknown field.' },
    ]);
    expect(errorOf('n'.repeat(101))).toEqual(starting(`${'n'.repeat(100)}…`));
    expect(errorOf(`${'n'.repeat(99)}🌊n`)).toEqual(starting(`${'n'.repeat(99)}…`));
    expect(errorOf(`🌊${'n'.repeat(99)}`)).toEqual(starting(`🌊${'n'.repeat(98)}…`));
  });

  it('get short details whatever their values', () => {
    const long = 'z'.repeat(900_000);
    for (const pointer of [
      '/external_id',
      '/loss/date',
      '/building/flood_zone',
      '/loss_location/state',
      '/carrier/email',
    ])
      for (const { detail } of errorsOf(sendClaim(claimWith(pointer, long))))
        expect(detail.length).toBeLessThan(300);
  });
});

describe('a body sent to an operation that has none', () => {
  const closed = (body: unknown) =>
    parseRequest(endpoints.withdrawInvitation, { params: { svc_id: 'SVC-1' }, body });

  it('may be absent or empty, and is then undefined', () => {
    for (const body of [undefined, {}])
      expect(closed(body)).toMatchObject({
        ok: true,
        value: { params: { svc_id: 'SVC-1' }, body: undefined },
      });
  });

  it('is rejected at each of its fields, or as a whole if it is not an object', () => {
    expect(errorsOf(closed({ reason: 1, note: 2 })).map(({ pointer }) => pointer)).toEqual([
      '/reason',
      '/note',
    ]);
    for (const body of [[], null, 'text', 1])
      expect(errorsOf(closed(body)).map(({ pointer }) => pointer)).toEqual(['']);
  });
});

describe('a query', () => {
  it('may be empty and then has a limit of 50', () => {
    expect(queryOf('')).toStrictEqual({ limit: 50 });
    expect(queryOf('&&')).toStrictEqual({ limit: 50 });
  });

  it('is parsed to typed values', () => {
    expect(
      queryOf(
        'updated_since=2026-08-29T14:30:00.5%2B02:00&assignment_status=rejected&external_id=a+b%2Fc%2Bd&limit=200&cursor=x%3D',
      ),
    ).toEqual({
      updated_since: Date.parse('2026-08-29T12:30:00.500Z'),
      assignment_status: 'rejected',
      external_id: 'a b/c+d',
      limit: 200,
      cursor: 'x=',
    });
  });

  it('of the board orders only claims that wait by their wait', () => {
    const searches = ['status=rejected&order=waiting', 'closed=false&order=waiting', 'status=accepted'];
    const wrong = ['status=accepted', 'late=true&closed=true', 'clock_late=true'].map(
      (of) => `${of}&order=waiting`,
    );
    const found = [
      ...searches,
      ...wrong,
      ...wrong.map((search) => search.replace('waiting', 'latest')),
    ].flatMap((search) => errorsOf(parseRequest(endpoints.listBoardClaims, { search })));
    const detail = 'Accepted and closed claims do not wait: use order=latest for them.';
    expect(found).toEqual(wrong.map(() => ({ parameter: 'order', detail })));
  });

  it('may have an offset with an unencoded plus sign', () => {
    expect(queryOf('updated_since=2026-08-29T14:30:00+02:00').updated_since).toBe(
      Date.parse('2026-08-29T12:30:00Z'),
    );
  });

  it.each([
    ['limit=500', 'limit', '1 to 200'],
    ['assignment_status=Accepted', 'assignment_status', 'did you mean accepted?'],
    ['status=accepted', 'status', 'Allowed: updated_since, assignment_status'],
    ['updated_since=1787927400', 'updated_since', 'RFC 3339'],
  ])('%j gets an error at %s that says %s', (search, parameter, hint) => {
    expect(errorsOf(list(search))).toEqual([{ parameter, detail: expect.stringContaining(hint) }]);
  });

  it.each([
    [' 2026-08-29 ', '2026-08-29T00:00:00Z'],
    ['2026-08-29T14:30Z', '2026-08-29T14:30:00Z'],
    ['2026-08-29T14:30:00.123456789', '2026-08-29T14:30:00.123456789Z'],
    ['2026-08-29T14:30:00-05:00[America/Chicago]', '2026-08-29T14:30:00-05:00'],
    ['2026-08-29T14:30Z[UTC]', '2026-08-29T14:30:00Z'],
    ['2026-08-29t14:30z', '2026-08-29T14:30:00Z'],
    ['2026-08-29 14:30UTC', '2026-08-29T14:30:00Z'],
    ['2026-08-29 14:30:00', '2026-08-29T14:30:00Z'],
    ['2026-08-29 14:30:00.5+02', '2026-08-29T14:30:00.5+02:00'],
    ['2026-08-29 14:30:00 +0530', '2026-08-29T14:30:00+05:30'],
    ['2026-08-29 14:30:00 +0200', '2026-08-29T14:30:00+02:00'],
    ['2026-08-29 14:30:00 02', '2026-08-29T14:30:00+02:00'],
    ['2026-08-29 14:30:00 UTC', '2026-08-29T14:30:00Z'],
    ['2026-08-32T14:30Z', null],
    ['08/29/2026', null],
  ])('updated_since=%j suggests %j', (sent, meant) => {
    const [detail] = errorsOf(list(`updated_since=${encodeURIComponent(sent)}`)).map((error) => error.detail);
    expect(/did you mean (.*)\?/.exec(detail ?? '')?.[1] ?? null).toBe(meant);
    expect(detail).toContain('RFC 3339');
  });

  it.each([
    ...['cursor=', `cursor=${'c'.repeat(513)}`].map((search): [string, string] => [search, 'cursor']),
    ['assignment_status=closed', 'assignment_status'],
    ...['%20a', 'a%0A', '%', '%zz', '%ff', '%ed%a0%80', 'a%00b', '\ud800', 'é'].map(
      (value): [string, string] => [`external_id=${value}`, 'external_id'],
    ),
    ['updated_since=yesterday', 'updated_since'],
    ['updated_since=2026-08-29', 'updated_since'],
    ...['limit', 'limit=5&limit=5', 'limit=5&lim%69t=6'].map((search): [string, string] => [search, 'limit']),
    ['Limit=5', 'Limit'],
    ['__proto__=1', '__proto__'],
    ['constructor=1&constructor=2', 'constructor'],
    ['toString', 'toString'],
    ['=1', ''],
    ['a%00=1', 'a%00'],
    ['%=1', '%'],
    ['limit[]=5', 'limit[]'],
    ['?limit=5', '?limit'],
  ])('%j gets one error, at its parameter', (search, parameter) => {
    expect(queryErrors(search)).toEqual([parameter]);
  });

  it.each([
    ['limit=5&limit=x', 'limit', 'This parameter was sent more than once.'],
    ['limit=%&limit=5', 'limit', 'The value is not valid percent-encoded UTF-8.'],
    ['external_id=%ff', 'external_id', 'The value is not valid percent-encoded UTF-8.'],
    ['external_id=%00&external_id=%', 'external_id', 'Must not contain U+0000.'],
    ['%ff=1', '%ff', 'The parameter name is not valid percent-encoded UTF-8.'],
    ['é\ud800=1', '\ufffd\ufffd', 'The parameter name is not valid percent-encoded UTF-8.'],
    [
      'x=1&x=2',
      'x',
      'Unknown parameter. Allowed: updated_since, assignment_status, external_id, limit, cursor.',
    ],
  ])('%j gets one error, with its first cause', (search, parameter, detail) => {
    expect(errorsOf(list(search))).toEqual([{ parameter, detail }]);
  });

  it('without an equals sign is an empty value, and one with several has those after the first', () => {
    expect(queryErrors('external_id')).toEqual(['external_id']);
    expect(queryOf('external_id=a=b==').external_id).toBe('a=b==');
  });

  it('gets an error that cuts a name of more than 100 characters', () => {
    const parameterOf = (name: string) => errorsOf(list(`${name}=1`))[0]?.parameter;
    expect(parameterOf('n'.repeat(100))).toBe('n'.repeat(100));
    expect(parameterOf('n'.repeat(101))).toBe(`${'n'.repeat(100)}…`);
    expect(parameterOf(`%${'n'.repeat(50_000)}`)).toBe(`%${'n'.repeat(99)}…`);
  });

  it('must be empty if the operation has no query parameters', () => {
    expect(errorsOf(parseRequest(endpoints.getHealth, { search: 'a=1&b' }))).toEqual(
      ['a', 'b'].map((parameter) => ({
        parameter,
        detail: 'Unknown parameter. This operation takes no query parameters.',
      })),
    );
    expect(parseRequest(endpoints.getHealth, {})).toEqual({
      ok: true,
      value: { params: {}, query: {}, headers: {}, body: undefined },
    });
  });
});

describe('a path parameter', () => {
  const id = '0B9F6A52-3c0e-4a53-8f57-2f1f7a3c9d10';
  it('accepts a UUID in any case and returns it in lowercase', () => {
    const result = parseRequest(endpoints.getClaim, { params: { id, other: 'of the router' } });
    expect(result.ok && result.value.params).toEqual({ id: id.toLowerCase() });
  });

  it.each(['1', '', `${id}0`, `{${id}}`, id.replaceAll('-', ''), `${id}\n`])(
    'rejects %j as a UUID',
    (wrong) => {
      expect(errorsOf(parseRequest(endpoints.getClaim, { params: { id: wrong } }))).toEqual([
        { parameter: 'id', detail: expect.stringMatching(/^Must be a UUID; .*external_id=/) },
      ]);
    },
  );

  it('accepts an SVCID of up to 128 characters', () => {
    const withdraw = (svc_id: string) => parseRequest(endpoints.withdrawInvitation, { params: { svc_id } });
    expect(withdraw('Ä'.repeat(128)).ok).toBe(true);
    expect(errorsOf(withdraw('x'.repeat(129)))).toMatchObject([{ parameter: 'svc_id' }]);
    expect(errorsOf(withdraw('a\0'))).toMatchObject([{ parameter: 'svc_id' }]);
  });
});

describe('the Idempotency-Key', () => {
  const withKey = (key: string | string[] | undefined) =>
    parseRequest(endpoints.offerClaim, {
      params: { id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' },
      headers: { 'idempotency-key': key, 'content-type': 'application/json' },
      body: { adjuster_svc_id: 'S' },
    });

  it.each(['k', 'a, b', 'k'.repeat(255), 'Ã©', '~!"#'])('may be %j', (key) => {
    const result = withKey(key);
    expect(result.ok && result.value.headers).toEqual({ 'Idempotency-Key': key });
  });

  it.each([undefined, '', ' ', 'k'.repeat(256), 'a\tb', 'a\0', '\u007f', 'a\nb'])('may not be %j', (key) => {
    expect(errorsOf(withKey(key)).map(({ header }) => header)).toEqual(['Idempotency-Key']);
  });

  it('is missed as a header, not as a field', () => {
    expect(errorsOf(withKey(undefined))).toEqual([
      {
        header: 'Idempotency-Key',
        detail: 'This header is required: printable text of 1 to 255 characters.',
      },
    ]);
  });

  it('sent twice is joined as HTTP does', () => {
    const result = withKey(['a', 'b']);
    expect(result.ok && result.value.headers['Idempotency-Key']).toBe('a, b');
  });
});

describe('other bodies', () => {
  const pointers = (endpoint: Endpoint, body: unknown, params: Readonly<Record<string, string>> = {}) =>
    errorsOf(parseRequest(endpoint, { params, body })).map(({ pointer }) => pointer);

  it('a sign-in requires exactly one method, with all of its fields', () => {
    const signIn = (body: unknown) => pointers(endpoints.signIn, body);
    expect(signIn({ email: 'a@b', code: '012345' })).toEqual([]);
    expect(signIn({ svc_id: 'S_manual', sign_in_secret: 's' })).toEqual([]);
    expect(signIn({})).toEqual(['']);
    expect(signIn({ email: 'a@b' })).toEqual(['/code']);
    expect(signIn({ sign_in_secret: 's' })).toEqual(['/svc_id']);
    expect(signIn({ email: 'a@b', code: '012345', svc_id: 'S' })).toEqual(['']);
    expect(signIn({ email: 'a@b', code: 12345 })).toEqual(['/code']);
    expect(signIn(null)).toEqual(['']);
    const detailOf = (endpoint: Endpoint, body: unknown) =>
      errorsOf(parseRequest(endpoint, { body }))[0]?.detail;
    const allowed = 'Send email and code, or svc_id and sign_in_secret, or passkey.';
    expect(
      [{}, { email: 'a@b', svc_id: 'S' }, { code: '012345' }].map((body) => detailOf(endpoints.signIn, body)),
    ).toEqual([
      `A sign-in method is required. ${allowed}`,
      `Only one sign-in method is allowed. ${allowed}`,
      `This field is required. ${allowed}`,
    ]);
    expect(detailOf(endpoints.signInStaff, {})).toBe(
      'A sign-in method is required. Send email and code, or passkey, or ticket and firm_id.',
    );
    const passkey = { credential_id: 'a', client_data: 'a', authenticator_data: 'a', signature: 'a' };
    expect(signIn({ passkey })).toEqual([]);
    expect(signIn({ passkey, code: '012345' })).toEqual(['']);
    const firm_id = '5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21';
    const atDesk = (body: unknown) => pointers(endpoints.signInStaff, body);
    for (const method of [{ email: 'a@b', code: '012345' }, { passkey }, { ticket: 't', firm_id }])
      expect([atDesk(method), atDesk({ ...method, firm_id })]).toEqual([[], []]);
    const wrong = [{ ticket: 't' }, { code: '012345' }, { firm_id }, { ticket: 't', firm_id, passkey }];
    expect(wrong.map(atDesk)).toEqual([['/firm_id'], ['/email'], [''], ['']]);
  });

  it('a rejection may omit the body, an offer may not', () => {
    const params = { id: '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10' };
    const rejection = parseRequest(endpoints.rejectClaim, { params });
    expect(rejection.ok && rejection.value.body).toEqual({});
    expect(pointers(endpoints.rejectClaim, null, params)).toEqual(['']);
    expect(pointers(endpoints.rejectClaim, { reason: '' }, params)).toEqual(['/reason']);
    expect(
      errorsOf(parseRequest(endpoints.offerClaim, { params, headers: { 'idempotency-key': 'k' } })),
    ).toMatchObject([{ pointer: '' }]);
  });

  it('credentials end on a day of this century, and days away may be one day', () => {
    const away = (first_day: string, last_day: string) =>
      pointers(endpoints.updateAvailability, {
        away: [{ first_day, last_day, time_zone: 'America/Chicago' }],
      });
    expect(away('2026-09-07', '2026-09-07')).toEqual([]);
    expect(away('2026-09-07', '2026-09-06')).toEqual(['/away/0/last_day']);
    const { fcn, licenses } = endpoints.saveCredentials.example.body;
    const ends = (expires_on: string) =>
      pointers(endpoints.saveCredentials, {
        fcn: { ...fcn, expires_on },
        licenses: licenses.map((license) => ({ ...license, expires_on })),
      });
    const both = ['/fcn/expires_on', '/licenses/0/expires_on'];
    expect(['1999-12-31', '2000-01-01', '2099-12-31', '2100-01-01'].map(ends)).toEqual([both, [], [], both]);
  });

  it('a check of one body says what is allowed', () => {
    const away = [{ first_day: '2026-09-07', last_day: '2026-09-06', time_zone: 'UTC' }];
    const { fcn } = endpoints.saveCredentials.example.body;
    const bodies: readonly (readonly [Endpoint, object])[] = [
      [endpoints.updateAvailability, { away }],
      [endpoints.updateClocks, { rules: [{ carrier: 'C' }] }],
      [endpoints.importClaims, { name: 'n', dry_run: true, rows: [['a'], [1]] }],
      [endpoints.saveCredentials, { fcn: { ...fcn, expires_on: '1999-12-31' } }],
    ];
    const errors = bodies.flatMap(([endpoint, body]) => errorsOf(parseRequest(endpoint, { body })));
    expect(errors.map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual([
      '/away/0/last_day Must not be earlier than first_day.',
      '/rules/0 Must have at least one of contact_hours, inspection_hours, report_days.',
      '/rows/1 Must be an array of strings.',
      '/fcn/expires_on Must be a date from 2000-01-01 to 2099-12-31.',
    ]);
  });

  it('a clock rule sets a time, and the rows of an import are lists of texts', () => {
    const rules = [{ contact_hours: 1 }, { inspection_hours: 1 }, { report_days: 1 }, {}, { carrier: 'C' }];
    expect(pointers(endpoints.updateClocks, { rules })).toEqual(['/rules/3', '/rules/4']);
    const imported = (fields: object) => ({ name: 'n', dry_run: true, ...fields });
    const rows = (...all: readonly unknown[]) => pointers(endpoints.importClaims, imported({ rows: all }));
    expect(rows(['a', 'b'], [])).toEqual([]);
    expect(rows(['a'], ['b', 1], 'x')).toEqual(['/rows/1']);
    const name = 'c'.repeat(200);
    const id = '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f91';
    const right = {
      columns: { [name]: 'x', '': null },
      values: { a: '' },
      adjusters: { S: [1, 1_000_000] },
      import_id: id,
    };
    expect(pointers(endpoints.importClaims, imported(right))).toEqual([]);
    const wrong = {
      ...{ columns: { [`${name}c`]: 'x', b: 1 }, values: { a: null, b: 1 }, import_id: 'x', rows: 'x' },
      adjusters: { S: [0, 1.5, '2', 1_000_001], T: 1 },
    };
    const found = errorsOf(parseRequest(endpoints.importClaims, { body: imported(wrong) }));
    const integer = 'Must be an integer from 1 to 1,000,000';
    expect(found.map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual([
      '/rows Must be an array of rows.',
      `/columns/${name}c The name of a column has at most 200 characters.`,
      '/columns/b Must be a field, or null; received a number.',
      '/values/a Must be a string, not null. If the field is optional, omit it instead.',
      '/values/b Must be a string; received a number.',
      ...[`/adjusters/S/0 ${integer}.`, `/adjusters/S/1 ${integer}.`],
      `/adjusters/S/2 ${integer}; send the number without quotes.`,
      ...[`/adjusters/S/3 ${integer}.`, '/adjusters/T Must be an array; received a number.'],
      '/import_id Must be the id of an import.',
    ]);
    expect(pointers(endpoints.importClaims, imported({ columns: [], values: 'x', adjusters: null }))).toEqual(
      [...['/columns', '/values', '/adjusters']],
    );
  });

  it('a message of the Model Context Protocol keeps its members, and may ask for tools that write', () => {
    const body = { jsonrpc: '2.0', method: 'tools/list' };
    const valuesOf = (search: string) => {
      const result = parseRequest(mcpEndpoint, { search, body });
      return result.ok && result.value;
    };
    const value = { params: {}, headers: {}, body };
    expect(['', 'allow_writes=true', 'allow_writes=false', 'allow_writes=1'].map(valuesOf)).toEqual([
      ...[undefined, 'true', 'false'].map((allow_writes) => ({
        ...value,
        query: { ...(allow_writes && { allow_writes }) },
      })),
      false,
    ]);
    expect(errorsOf(parseRequest(mcpEndpoint, { body: [] }))).toEqual([
      { pointer: '', detail: 'Must be a JSON-RPC message; received an array.' },
    ]);
    const { method, path, audit, auth, scope, write, problems } = mcpEndpoint;
    expect([method, path, audit, auth, scope, write, ...problems]).toEqual([
      ...['POST', '/mcp', null, 'key', null, false, 'malformed_request', 'payload_too_large', 'invalid_key'],
      ...['rate_limited', 'validation_failed'],
    ]);
  });

  it('a push subscription is accepted as browsers serialize it', () => {
    const register = (subscription: unknown) =>
      pointers(endpoints.registerDevice, { subscription }, { device_id: 'd' });
    const keys = { p256dh: 'BNcR-_', auth: 'tBH' };
    expect(register({ endpoint: 'https://push.example/x', expirationTime: null, keys })).toEqual([]);
    expect(register({ endpoint: 'https://push.example/x', expirationTime: 1_790_000_000_000, keys })).toEqual(
      [],
    );
    expect(register({ endpoint: 'https://push.example/x', keys })).toEqual([]);
    expect(register({ endpoint: 'http://push.example/x', keys })).toEqual(['/subscription/endpoint']);
    expect(register({ endpoint: 'https://push.example/x', keys: { p256dh: 'a+b', auth: '' } })).toEqual([
      '/subscription/keys/p256dh',
      '/subscription/keys/auth',
    ]);
  });
});
