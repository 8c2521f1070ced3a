import { describe, expect, test } from '@jest/globals';
import { ADJUSTERS, makeRequestSignInCode, TooManyAttempts, type Tx, Unavailable } from '@svc/application';
import { type FirmId, MINUTE, type Svcid } from '@svc/domain';
import { errorCodeOf, type Fixture } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

const codeFor = async (fixture: Fixture, email: string): Promise<string> => {
  const before = fixture.external.mails.length;
  await fixture.use.requestSignInCode(email);
  const mail = fixture.external.mails[before];
  if (mail === undefined) throw new Error('expected a mail');
  expect(mail.email.toLowerCase()).toBe(email.toLowerCase());
  return mail.code;
};
const withAccount = async () => {
  const fixture = memoryFixture();
  return { fixture, email: (await fixture.newAdjuster()).email ?? '' };
};
const NO_PASSKEY = { credentialId: 'none', clientData: '', authenticatorData: '', signature: '' };
const STRANGER = '198.51.100.9';
const clientOf = (n: number): string => `198.18.${n >> 8}.${n & 255}`;
/** Addresses of one network, which is one client. */
const neighborOf = (n: number): string => `2001:db8::${n}`;
const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

describe('a sign-in code', () => {
  test('opens a session of the account it was emailed to, whose address it takes in any case', async () => {
    const fixture = memoryFixture();
    const adjuster = await fixture.newAdjuster({ email: 'Renee.Ortiz@Example.net' });
    const code = await codeFor(fixture, 'renee.ortiz@EXAMPLE.NET');
    expect(fixture.external.mails.map((mail) => mail.email)).toEqual([adjuster.email]);
    const opened = await fixture.use.signIn({ email: 'RENEE.ortiz@example.net', code });
    expect(opened.account).toEqual({ ...adjuster, emailConfirmed: true });
    expect((await fixture.use.sessionAuthenticator.authenticate(opened.token))?.svcId).toBe(adjuster.svcId);
  });

  test('is valid for exactly ten minutes, and then replaced by another', async () => {
    const { fixture, email } = await withAccount();
    const inTime = await codeFor(fixture, email);
    fixture.clock.advance(10 * MINUTE - 1);
    await fixture.use.signIn({ email, code: inTime });
    const tooLate = await codeFor(fixture, email);
    fixture.clock.advance(10 * MINUTE);
    expect(await errorCodeOf(fixture.use.signIn({ email, code: tooLate }))).toBe('sign_in_refused');
    expect(await codeFor(fixture, email)).not.toBe(tooLate);
  });

  test('that expired is reported as not requested to a client with a secret, which is to request another', async () => {
    const { fixture, email } = await withAccount();
    await fixture.use.requestSignInCode(email, STRANGER, 'browser');
    const code = fixture.external.mails[0]?.code ?? '';
    fixture.clock.advance(10 * MINUTE);
    const late = fixture.use.signIn({ email, code, clientSecret: 'browser' }, STRANGER);
    await expect(late).rejects.toMatchObject({
      code: 'code_not_requested',
      message: expect.stringContaining('Request a new code, and enter it in the same browser.'),
    });
  });

  test('requested with a secret works only with it, on any network, and leaves the codes of others alone', async () => {
    const { fixture, email } = await withAccount();
    const { use, external } = fixture;
    const codeWith = async (clientSecret?: string) => {
      await use.requestSignInCode(email, STRANGER, clientSecret);
      return external.mails.at(-1)?.code ?? '';
    };
    const [one, two, open] = [await codeWith('one'), await codeWith('two'), await codeWith()];
    const enter = (code: string, clientSecret?: string) =>
      use.signIn({ email, code, clientSecret }, clientOf(1));
    expect(await errorCodeOf(enter(one))).toBe('sign_in_refused');
    expect(await errorCodeOf(enter(one, 'two'))).toBe('sign_in_refused');
    expect(await errorCodeOf(enter(open, 'one'))).toBe('sign_in_refused');
    expect(await errorCodeOf(enter(one, 'three'))).toBe('code_not_requested');
    for (const opened of [await enter(one, 'one'), await enter(two, 'two'), await enter(open)])
      expect(opened.account.email).toBe(email);
    expect(await errorCodeOf(enter(one, 'one'))).toBe('code_not_requested');
    const failures = [...Array(3).fill('refused'), ...Array(2).fill('not_requested_here')];
    expect(external.signInFailures).toEqual(failures);
  });

  test('requested with a secret can be tried five times with it, also where the address has no account', async () => {
    const { fixture, email } = await withAccount();
    const { use, external } = fixture;
    const outcomesOf = async (to: string) => {
      await use.requestSignInCode(to, STRANGER, 'browser');
      const code = external.mails.at(-1)?.code ?? '';
      const outcomes: unknown[] = [];
      for (const tried of [...Array<string>(5).fill(wrongFor(code)), code])
        outcomes.push(await errorCodeOf(use.signIn({ email: to, code: tried, clientSecret: 'browser' })));
      return outcomes;
    };
    const refused = Array(6).fill('sign_in_refused');
    expect([await outcomesOf(email), await outcomesOf('nobody@example.net')]).toEqual([refused, refused]);
  });

  test('can be tried five times in ten minutes by a client that did not request it, and again with one that it requests', async () => {
    const { fixture, email } = await withAccount();
    const guess = (code: string, n = 5) => fixture.use.signIn({ email, code }, neighborOf(n));
    const code = await codeFor(fixture, email);
    for (let n = 0; n < 5; n++) expect(await errorCodeOf(guess(wrongFor(code), n))).toBe('sign_in_refused');
    fixture.clock.advance(10 * MINUTE - 1);
    expect(await errorCodeOf(guess(code))).toBe('sign_in_refused');
    fixture.clock.advance(1);
    // Tries at one address are none at another.
    const elsewhere = () => fixture.use.signIn({ email: 'x@example.net', code: '000000' }, neighborOf(0));
    for (let n = 0; n < 5; n++) await errorCodeOf(elsewhere());
    expect((await guess(await codeFor(fixture, email))).account.email).toBe(email);
    for (let n = 0; n < 5; n++) await errorCodeOf(guess('000000', n));
    await fixture.use.requestSignInCode(email, neighborOf(0));
    expect((await guess(fixture.external.mails.at(-1)?.code ?? '')).account.email).toBe(email);
  });

  test('can be tried five times also after its client had to pause', async () => {
    const { fixture, email } = await withAccount();
    for (let n = 0; n < 5; n++) await fixture.use.requestSignInCode(email);
    fixture.clock.advance(MINUTE);
    const code = await codeFor(fixture, email);
    for (let n = 0; n < 4; n++) await errorCodeOf(fixture.use.signIn({ email, code: wrongFor(code) }));
    expect((await fixture.use.signIn({ email, code })).account.email).toBe(email);
  });

  test('is emailed again while valid, with new tries and ten more minutes; a used one is not', async () => {
    const { fixture, email } = await withAccount();
    const code = await codeFor(fixture, email);
    for (let n = 0; n < 5; n++) await errorCodeOf(fixture.use.signIn({ email, code: wrongFor(code) }));
    expect(await errorCodeOf(fixture.use.signIn({ email, code }))).toBe('sign_in_refused');
    fixture.clock.advance(10 * MINUTE - 1);
    expect(await codeFor(fixture, email)).toBe(code);
    fixture.clock.advance(10 * MINUTE - 1);
    await fixture.use.signIn({ email, code });
    expect(await codeFor(fixture, email)).not.toBe(code);
  });

  test('opens only the account of its address, however often it is entered for another one', async () => {
    const { use, external, newAdjuster } = memoryFixture();
    const [one, two] = [await newAdjuster(), await newAdjuster()];
    for (const clientSecret of [undefined, 'browser']) {
      for (const { email } of [two, one]) await use.requestSignInCode(email ?? '', STRANGER, clientSecret);
      const { code = '' } = external.mails.at(-1) ?? {};
      const signIn = ({ email }: typeof one) =>
        use.signIn({ email: email ?? '', code, clientSecret }, STRANGER);
      for (let n = 0; n < 5; n++) expect(await errorCodeOf(signIn(two))).toBe('sign_in_refused');
      expect((await signIn(one)).account.svcId).toBe(one.svcId);
    }
  });

  test('is invalid after the account changed its address', async () => {
    const fixture = memoryFixture();
    const { svcId, email } = await fixture.newAdjuster();
    const code = await codeFor(fixture, email ?? '');
    await fixture.use.updateProfile({ svcId }, { email: 'moved@example.net' });
    await fixture.use.confirmEmail({ svcId }, fixture.external.mails.at(-1)?.code ?? '');
    expect(await errorCodeOf(fixture.use.signIn({ email: email ?? '', code }))).toBe('sign_in_refused');
    expect(await errorCodeOf(fixture.use.signIn({ email: 'moved@example.net', code }))).toBe(
      'sign_in_refused',
    );
  });
});

describe('requesting a sign-in code', () => {
  test('over the limit sends no mail, keeps the current code and returns no error', async () => {
    const fixture = memoryFixture();
    const { email: known } = await fixture.newAdjuster();
    const email = known ?? '';
    for (let n = 0; n < 8; n++)
      await fixture.use.requestSignInCode(n % 2 === 0 ? email : email.toUpperCase(), neighborOf(n));
    expect(fixture.external.mails).toHaveLength(5);
    await fixture.use.signIn({ email, code: fixture.external.mails[0]?.code ?? '' });
  });

  test('does not wait for the mail system', async () => {
    const { fixture, email } = await withAccount();
    const { memory, secrets, clock } = fixture;
    let handed = 0;
    const request = makeRequestSignInCode({
      uow: memory.unitOfWork,
      accounts: ADJUSTERS,
      secrets,
      clock,
      networkOf: (address) => address,
      signInMonitor: { count() {} },
      mailer: {
        sendEmailCode: async () => {},
        sendStaffInvitation: async () => {},
        sendLateOffers: async () => {},
        sendAccountNotice: async () => {},
        sendSignInCode: () => {
          handed += 1;
          return new Promise(() => {});
        },
      },
    });
    await request(email, '192.0.2.1');
    expect(handed).toBe(1);
  });
});

describe('a limit', () => {
  type Attempts = Tx['signInAttempts'];
  /** The use cases on a store of attempts that differs from the real one. */
  const withAttempts = (fixture: ReturnType<typeof memoryFixture>, changed: Partial<Attempts>) =>
    fixture.useOn({
      unitOfWork: {
        run: (work) =>
          fixture.memory.unitOfWork.run((tx) =>
            work({ ...tx, signInAttempts: { ...tx.signInAttempts, ...changed } }),
          ),
      },
    });

  test('holds for attempts that were committed after the counters were read and before they were locked', async () => {
    const { fixture, email } = await withAccount();
    const use = withAttempts(fixture, { find: async (subjects) => subjects.map(() => null) });
    for (let n = 0; n < 12; n++) await use.requestSignInCode(email, clientOf(n));
    expect(fixture.external.mails).toHaveLength(10);
    const guess = (n: number) => use.signIn({ email: `nobody-${n}@example.net`, code: '000000' }, STRANGER);
    for (let n = 0; n < 20; n++) expect(await errorCodeOf(guess(n))).toBe('sign_in_refused');
    await expect(guess(20)).rejects.toThrow(TooManyAttempts);
  });

  test('is checked without waiting for other attempts once it is reached', async () => {
    const fixture = memoryFixture();
    const [one, two] = [await fixture.newAdjuster(), await fixture.newAdjuster()];
    const { mails, signInFailures } = fixture.external;
    // Of one client and recipient, and then of one recipient.
    for (let n = 0; n < 5; n++) await fixture.use.requestSignInCode(one.email ?? '', STRANGER);
    for (let n = 0; n < 10; n++) await fixture.use.requestSignInCode(two.email ?? '', clientOf(n));
    expect(mails).toHaveLength(15);
    const use = withAttempts(fixture, { lock: () => Promise.reject(new Error('waits')) });
    await use.requestSignInCode(one.email ?? '', STRANGER);
    await use.requestSignInCode(two.email ?? '', STRANGER);
    expect(mails).toHaveLength(15);
    expect(signInFailures).toEqual(['code_not_mailed', 'code_not_mailed']);
  });

  test('of codes for new addresses is that of the network, whichever accounts request them, and not for their own', async () => {
    const fixture = memoryFixture();
    const { svcId: one, email } = await fixture.newAdjuster();
    const { svcId: two } = await fixture.newAdjuster();
    const request = (svcId: Svcid, to: string | null, address = STRANGER) =>
      fixture.use.updateProfile({ svcId, origin: { address, requestId: 'r' } }, { email: to });
    for (let n = 0; n < 6; n++) await request(one, email);
    for (let n = 0; n < 30; n++) await request(one, `new-${n}@example.net`, neighborOf(n));
    await expect(request(two, 'new-30@example.net', neighborOf(30))).rejects.toThrow(TooManyAttempts);
    await request(two, 'new-30@example.net', clientOf(1));
    expect(fixture.external.mails.at(-1)?.email).toBe('new-30@example.net');
  });

  test.each([
    ['code', { email: 'nobody@example.net', code: '000000', clientSecret: 'browser' }],
    ['ticket', { ticket: 'svc_ticket_none', firmId: 'none' as FirmId }],
    ['passkey', { passkey: NO_PASSKEY, clientSecret: 'browser' }],
  ])('of a client counts each failure with a %s', async (_, proof) => {
    const { use } = memoryFixture();
    for (let n = 0; n < 20; n++) await errorCodeOf(use.desk.signIn(proof, neighborOf(n)));
    await expect(use.desk.signIn(proof, neighborOf(20))).rejects.toThrow(TooManyAttempts);
  });

  test('that was reached is counted as a failed sign-in, an error of the store is not', async () => {
    const fixture = memoryFixture();
    const guess = (use = fixture.use) =>
      use.signIn({ email: 'nobody@example.net', code: '000000' }, STRANGER).catch((error: Error) => error);
    for (let n = 0; n < 12; n++) await guess();
    const away = fixture.useOn({ unitOfWork: { run: () => Promise.reject(new Unavailable('away')) } });
    expect(await guess(away)).toBeInstanceOf(Unavailable);
    // After five wrong codes a client's guesses at an address are not checked.
    expect(new Set(fixture.external.signInFailures)).toEqual(new Set(['refused']));
    const elsewhere = (n: number) =>
      fixture.use.signIn({ email: `nobody-${n}@example.net`, code: '000000' }, STRANGER);
    for (let n = 0; n < 8; n++) await errorCodeOf(elsewhere(n));
    await expect(elsewhere(8)).rejects.toThrow(TooManyAttempts);
    expect(fixture.external.signInFailures.slice(-2)).toEqual(['refused', 'paused']);
  });
});

test('a new address is not refused because the store is away', async () => {
  const fixture = memoryFixture();
  const { svcId } = await fixture.newAdjuster();
  const away = fixture.useOn({ unitOfWork: { run: () => Promise.reject(new Unavailable('away')) } });
  await expect(away.confirmEmail({ svcId }, '000000')).rejects.toThrow(Unavailable);
});

test('counters, codes and challenges of a process of another release are found: the hashed texts are the same', async () => {
  const fixture = memoryFixture();
  const { use, secrets } = fixture;
  const { hashOfSubject, issueCode } = secrets;
  const labels = new Set<string>();
  const codesFor: string[] = [];
  Object.assign(secrets, {
    hashOfSubject: (...parts: string[]) => {
      labels.add((parts[0] === 'notices of recipient' ? parts : parts.slice(0, 1)).join(' '));
      return hashOfSubject(...parts);
    },
    issueCode: (subject: string, seed?: string) => {
      codesFor.push(subject);
      return issueCode(subject, seed);
    },
  });
  const firm = await fixture.newFirm();
  const { svcId, email } = await fixture.newAdjuster();
  const code = await codeFor(fixture, email ?? '');
  const { token } = await use.signIn({ email: email ?? '', code });
  await use.requestSignInCode(email ?? '', STRANGER, 'browser');
  await fixture.invite(firm, svcId);
  await fixture.memory.jobs.runDue(fixture.clock.now(), use.runJob);
  await use.startPasskeySignIn('browser');
  const session = await use.sessionAuthenticator.authenticate(token);
  if (session === null) throw new Error('expected a session');
  await use.startPasskeyRegistration({ svcId }, session);
  await use.updateProfile({ svcId }, { email: 'Moved@example.net' });
  const key = email?.toLowerCase();
  expect([...labels].sort()).toEqual([
    'asked',
    'asked with secret',
    'bound code',
    'code',
    'codes in total',
    'codes of client',
    'codes of client and recipient',
    'codes of recipient',
    'guesses of client',
    'guesses of strangers at account',
    'guesses of strangers in total',
    'invitations of firm and recipient',
    'invitations of recipient',
    `notices of recipient ${key}`,
    'passkey challenge of client',
    'passkey challenge of session',
    'passkey user',
    'tries',
  ]);
  expect(codesFor).toEqual([key, key, JSON.stringify([svcId, 'moved@example.net'])]);
});

describe('the limits in total', () => {
  test('pause guesses of strangers after 500, but not the owner who requested the code', async () => {
    const { fixture, email } = await withAccount();
    const code = await codeFor(fixture, email);
    const guess = (n: number) =>
      fixture.use.signIn({ email: `nobody-${n}@example.net`, code: '000000' }, clientOf(n));
    for (let n = 0; n < 500; n++) expect(await errorCodeOf(guess(n))).toBe('sign_in_refused');
    await expect(guess(500)).rejects.toMatchObject({ name: 'TooManyAttempts', retryAfterMs: 1000 });
    fixture.clock.advance(1000);
    expect(await errorCodeOf(guess(501))).toBe('sign_in_refused');
    await expect(guess(502)).rejects.toMatchObject({ name: 'TooManyAttempts', retryAfterMs: 2000 });
    expect((await fixture.use.signIn({ email, code })).account.email).toBe(email);
  });

  test('slow emails down after 1,000 and then allow one try per code', async () => {
    const { fixture, email } = await withAccount();
    for (let n = 0; n < 1000; n++)
      await fixture.use.requestSignInCode(`nobody-${n}@example.net`, clientOf(n));
    const requestCode = async () => {
      const before = fixture.external.mails.length;
      await fixture.use.requestSignInCode(email);
      return fixture.external.mails.slice(before)[0]?.code;
    };
    expect(await requestCode()).toBeUndefined();
    fixture.clock.advance(1000);
    const code = (await requestCode()) ?? '';
    expect(await errorCodeOf(fixture.use.signIn({ email, code: wrongFor(code) }))).toBe('sign_in_refused');
    expect(await errorCodeOf(fixture.use.signIn({ email, code }))).toBe('sign_in_refused');
    expect(await requestCode()).toBeUndefined();
    fixture.clock.advance(2000);
    expect(await requestCode()).toBe(code);
    expect((await fixture.use.signIn({ email, code })).account.email).toBe(email);
  });
});
