import { describe, expect, test } from '@jest/globals';
import { makeRequestSignInCode, SESSION_LIFETIME_MS } from '@svc/application';
import { MINUTE } from '@svc/domain';
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
const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

describe('a sign-in code', () => {
  test('opens a session of the account it was mailed to', async () => {
    const fixture = memoryFixture();
    const adjuster = await fixture.newAdjuster();
    const email = adjuster.email ?? '';
    const code = await codeFor(fixture, email);
    expect(code).toMatch(/^\d{6}$/);
    const opened = await fixture.use.signIn({ email, code });
    expect(opened.adjuster).toEqual(adjuster);
    expect((await fixture.use.sessionAuthenticator.authenticate(opened.token))?.svcId).toBe(adjuster.svcId);
  });

  test('accepts the address in any case', async () => {
    const fixture = memoryFixture();
    const { email } = await fixture.newAdjuster({ email: 'Renee.Ortiz@Example.net' });
    const code = await codeFor(fixture, 'renee.ortiz@EXAMPLE.NET');
    expect(fixture.external.mails.map((mail) => mail.email)).toEqual([email]);
    expect((await fixture.use.signIn({ email: 'RENEE.ortiz@example.net', code })).adjuster.email).toBe(email);
  });

  test('is valid for exactly ten minutes', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
    const inTime = await codeFor(fixture, email);
    fixture.clock.advance(10 * MINUTE - 1);
    await fixture.use.signIn({ email, code: inTime });
    const tooLate = await codeFor(fixture, email);
    fixture.clock.advance(10 * MINUTE);
    expect(await errorCodeOf(fixture.use.signIn({ email, code: tooLate }))).toBe('sign_in_refused');
  });

  test('works at the fifth try but not at the sixth', async () => {
    for (const [wrongTries, opens] of [
      [4, true],
      [5, false],
    ] as const) {
      const fixture = memoryFixture();
      const email = (await fixture.newAdjuster()).email ?? '';
      const code = await codeFor(fixture, email);
      for (let n = 0; n < wrongTries; n++) {
        expect(await errorCodeOf(fixture.use.signIn({ email, code: wrongFor(code) }))).toBe(
          'sign_in_refused',
        );
      }
      const last = fixture.use.signIn({ email, code });
      if (opens) expect((await last).adjuster.email).toBe(email);
      else expect(await errorCodeOf(last)).toBe('sign_in_refused');
    }
  });

  test('works once', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
    const code = await codeFor(fixture, email);
    await fixture.use.signIn({ email, code });
    expect(await errorCodeOf(fixture.use.signIn({ email, code }))).toBe('sign_in_refused');
  });

  test('is mailed again while valid, with new tries and ten more minutes; a used one is not', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
    const code = await codeFor(fixture, email);
    for (let n = 0; n < 5; n++) await errorCodeOf(fixture.use.signIn({ email, code: wrongFor(code) }));
    expect(await errorCodeOf(fixture.use.signIn({ email, code }))).toBe('sign_in_refused');
    fixture.clock.advance(10 * MINUTE - 1);
    expect(await codeFor(fixture, email)).toBe(code);
    fixture.clock.advance(10 * MINUTE - 1);
    await fixture.use.signIn({ email, code });
    expect(await codeFor(fixture, email)).not.toBe(code);
  });

  test('opens only the account of its address', async () => {
    const fixture = memoryFixture();
    const [one, two] = [await fixture.newAdjuster(), await fixture.newAdjuster()];
    await codeFor(fixture, two.email ?? '');
    const code = await codeFor(fixture, one.email ?? '');
    expect(await errorCodeOf(fixture.use.signIn({ email: two.email ?? '', code }))).toBe('sign_in_refused');
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
  test('does not reveal whether the account exists', async () => {
    const fixture = memoryFixture();
    const known = (await fixture.newAdjuster()).email ?? '';
    const unknown = 'nobody@example.net';
    expect(await fixture.use.requestSignInCode(known)).toBeUndefined();
    expect(await fixture.use.requestSignInCode(unknown)).toBeUndefined();
    expect(fixture.external.mails.map(({ email }) => email)).toEqual([known]);
    const errors = [known, unknown].map((email) => {
      const code = fixture.external.mails[0]?.code ?? '';
      return errorCodeOf(fixture.use.signIn({ email, code: wrongFor(code) }));
    });
    expect(await Promise.all(errors)).toEqual(['sign_in_refused', 'sign_in_refused']);
  });

  test('mails nothing to a test account, which signs in with its secret', async () => {
    const fixture = memoryFixture();
    const firm = await fixture.newFirm();
    const account = await fixture.stores.appReads.adjuster(firm.accounts.manual);
    await fixture.use.requestSignInCode(account?.email ?? '');
    expect(fixture.external.mails).toEqual([]);
  });

  test('over the limit sends no mail, keeps the current code and returns no error', async () => {
    const fixture = memoryFixture();
    const { email: known } = await fixture.newAdjuster();
    const email = known ?? '';
    for (let n = 0; n < 8; n++)
      await fixture.use.requestSignInCode(n % 2 === 0 ? email : email.toUpperCase());
    expect(fixture.external.mails).toHaveLength(5);
    await fixture.use.signIn({ email, code: fixture.external.mails[0]?.code ?? '' });
  });

  test('does not wait for the mail system', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
    const { memory, secrets, clock } = fixture;
    let handed = 0;
    const request = makeRequestSignInCode({
      uow: memory.unitOfWork,
      secrets,
      clock,
      networkOf: (address) => address,
      signInMonitor: { count() {} },
      mailer: {
        sendEmailCode: async () => {},
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

  test('stores only a hash', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
    const code = await codeFor(fixture, email);
    const held = await fixture.memory.unitOfWork.run((tx) => tx.signInCodes.lock(email.toLowerCase()));
    expect(JSON.stringify(held)).not.toContain(code);
  });
});

describe('the limits in total', () => {
  const clientOf = (n: number): string => `198.18.${n >> 8}.${n & 255}`;

  test('pause guesses of strangers after 500, but not the owner who requested the code', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
    const code = await codeFor(fixture, email);
    const guess = (n: number) =>
      fixture.use.signIn({ email: `nobody-${n}@example.net`, code: '000000' }, clientOf(n));
    for (let n = 0; n < 500; n++) expect(await errorCodeOf(guess(n))).toBe('sign_in_refused');
    await expect(guess(500)).rejects.toMatchObject({ name: 'TooManyAttempts', retryAfterMs: 1000 });
    fixture.clock.advance(1000);
    expect(await errorCodeOf(guess(501))).toBe('sign_in_refused');
    await expect(guess(502)).rejects.toMatchObject({ name: 'TooManyAttempts', retryAfterMs: 2000 });
    expect((await fixture.use.signIn({ email, code })).adjuster.email).toBe(email);
  });

  test('slow mails down after 1,000 and then allow one try per code', async () => {
    const fixture = memoryFixture();
    const email = (await fixture.newAdjuster()).email ?? '';
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
    expect((await fixture.use.signIn({ email, code })).adjuster.email).toBe(email);
  });
});

test('a use extends a session before it is stored', async () => {
  const fixture = memoryFixture();
  const email = (await fixture.newAdjuster()).email ?? '';
  const { token } = await fixture.use.signIn({ email, code: await codeFor(fixture, email) });
  const { sessionAuthenticator } = fixture.use;
  for (const ms of [SESSION_LIFETIME_MS - 1, SESSION_LIFETIME_MS - 1]) {
    fixture.clock.advance(ms);
    expect(await sessionAuthenticator.authenticate(token)).not.toBeNull();
  }
  fixture.clock.advance(SESSION_LIFETIME_MS);
  expect(await sessionAuthenticator.authenticate(token)).toBeNull();
});
