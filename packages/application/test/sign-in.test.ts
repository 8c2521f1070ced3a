import { describe, expect, test } from '@jest/globals';
import { makeRequestSignInCode } from '@svc/application';
import { MINUTE } from '@svc/domain';
import { type Fixture, refusalOf } from '@svc/testkit';
import { memoryBench } from './memory-fixture.ts';

const codeFor = async (bench: Fixture, email: string): Promise<string> => {
  const before = bench.outside.mails.length;
  await bench.use.requestSignInCode(email);
  const mail = bench.outside.mails[before];
  if (mail === undefined) throw new Error('no mail was sent');
  expect(mail.email.toLowerCase()).toBe(email.toLowerCase());
  return mail.code;
};
const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

describe('a sign-in code', () => {
  test('opens a session of the account it was mailed to', async () => {
    const bench = memoryBench();
    const adjuster = await bench.newAdjuster();
    const email = adjuster.email ?? '';
    const code = await codeFor(bench, email);
    expect(code).toMatch(/^\d{6}$/);
    const opened = await bench.use.signIn({ email, code });
    expect(opened.adjuster).toEqual(adjuster);
    expect((await bench.use.sessionGate.authenticate(opened.token))?.svcId).toBe(adjuster.svcId);
  });

  test('takes the address in any capitals', async () => {
    const bench = memoryBench();
    const { email } = await bench.newAdjuster({ email: 'Renee.Ortiz@Example.net' });
    const code = await codeFor(bench, 'renee.ortiz@EXAMPLE.NET');
    expect(bench.outside.mails.map((mail) => mail.email)).toEqual([email]);
    expect((await bench.use.signIn({ email: 'RENEE.ortiz@example.net', code })).adjuster.email).toBe(email);
  });

  test('works for ten minutes, to the millisecond', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const inTime = await codeFor(bench, email);
    bench.clock.advance(10 * MINUTE - 1);
    await bench.use.signIn({ email, code: inTime });
    const tooLate = await codeFor(bench, email);
    bench.clock.advance(10 * MINUTE);
    expect(await refusalOf(bench.use.signIn({ email, code: tooLate }))).toBe('sign_in_refused');
  });

  test('works at the fifth try, but not at the sixth', async () => {
    for (const [wrongTries, opens] of [
      [4, true],
      [5, false],
    ] as const) {
      const bench = memoryBench();
      const email = (await bench.newAdjuster()).email ?? '';
      const code = await codeFor(bench, email);
      for (let n = 0; n < wrongTries; n++) {
        expect(await refusalOf(bench.use.signIn({ email, code: wrongFor(code) }))).toBe('sign_in_refused');
      }
      const last = bench.use.signIn({ email, code });
      if (opens) expect((await last).adjuster.email).toBe(email);
      else expect(await refusalOf(last)).toBe('sign_in_refused');
    }
  });

  test('works once', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const code = await codeFor(bench, email);
    await bench.use.signIn({ email, code });
    expect(await refusalOf(bench.use.signIn({ email, code }))).toBe('sign_in_refused');
  });

  test('is mailed again while it lives, with new tries and ten minutes more; a used one never is', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const code = await codeFor(bench, email);
    for (let n = 0; n < 5; n++) await refusalOf(bench.use.signIn({ email, code: wrongFor(code) }));
    expect(await refusalOf(bench.use.signIn({ email, code }))).toBe('sign_in_refused');
    bench.clock.advance(10 * MINUTE - 1);
    expect(await codeFor(bench, email)).toBe(code);
    bench.clock.advance(10 * MINUTE - 1);
    await bench.use.signIn({ email, code });
    expect(await codeFor(bench, email)).not.toBe(code);
  });

  test('opens no other account than that of its address', async () => {
    const bench = memoryBench();
    const [one, two] = [await bench.newAdjuster(), await bench.newAdjuster()];
    await codeFor(bench, two.email ?? '');
    const code = await codeFor(bench, one.email ?? '');
    expect(await refusalOf(bench.use.signIn({ email: two.email ?? '', code }))).toBe('sign_in_refused');
  });

  test('opens nothing once the account has moved to another address', async () => {
    const bench = memoryBench();
    const { svcId, email } = await bench.newAdjuster();
    const code = await codeFor(bench, email ?? '');
    await bench.use.updateProfile({ svcId }, { email: 'moved@example.net' });
    expect(await refusalOf(bench.use.signIn({ email: email ?? '', code }))).toBe('sign_in_refused');
    expect(await refusalOf(bench.use.signIn({ email: 'moved@example.net', code }))).toBe('sign_in_refused');
  });
});

describe('asking for a sign-in code', () => {
  test('looks the same whether the account exists or not', async () => {
    const bench = memoryBench();
    const known = (await bench.newAdjuster()).email ?? '';
    const unknown = 'nobody@example.net';
    expect(await bench.use.requestSignInCode(known)).toBeUndefined();
    expect(await bench.use.requestSignInCode(unknown)).toBeUndefined();
    expect(bench.outside.mails.map(({ email }) => email)).toEqual([known]);
    const refusals = [known, unknown].map((email) => {
      const code = bench.outside.mails[0]?.code ?? '';
      return refusalOf(bench.use.signIn({ email, code: wrongFor(code) }));
    });
    expect(await Promise.all(refusals)).toEqual(['sign_in_refused', 'sign_in_refused']);
  });

  test('mails nothing to a test account, which signs in with its secret', async () => {
    const bench = memoryBench();
    const firm = await bench.newFirm();
    const account = await bench.stores.appReads.adjuster(firm.accounts.manual);
    await bench.use.requestSignInCode(account?.email ?? '');
    expect(bench.outside.mails).toEqual([]);
  });

  test('too often mails nothing, leaves the code that is out, and tells nobody', async () => {
    const bench = memoryBench();
    const { email: known } = await bench.newAdjuster();
    const email = known ?? '';
    for (let n = 0; n < 8; n++) await bench.use.requestSignInCode(n % 2 === 0 ? email : email.toUpperCase());
    expect(bench.outside.mails).toHaveLength(5);
    await bench.use.signIn({ email, code: bench.outside.mails[0]?.code ?? '' });
  });

  test('does not wait for the mail system', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const { memory, secrets, clock } = bench;
    let handed = 0;
    const request = makeRequestSignInCode({
      uow: memory.unitOfWork,
      secrets,
      clock,
      networkOf: (address) => address,
      mailer: {
        sendSignInCode: () => {
          handed += 1;
          return new Promise(() => {});
        },
      },
    });
    await request(email, '192.0.2.1');
    expect(handed).toBe(1);
  });

  test('keeps only a hash', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const code = await codeFor(bench, email);
    const held = await bench.memory.unitOfWork.run((tx) => tx.signInCodes.lock(email.toLowerCase()));
    expect(JSON.stringify(held)).not.toContain(code);
  });
});

describe('the limits on everybody together', () => {
  const clientOf = (n: number): string => `198.18.${n >> 8}.${n & 255}`;

  test('pause guesses of strangers after 500, and not the owner who asked for the code', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const code = await codeFor(bench, email);
    const guess = (n: number) =>
      bench.use.signIn({ email: `nobody-${n}@example.net`, code: '000000' }, clientOf(n));
    for (let n = 0; n < 500; n++) expect(await refusalOf(guess(n))).toBe('sign_in_refused');
    await expect(guess(500)).rejects.toMatchObject({ name: 'TooManyAttempts', retryAfterMs: 1000 });
    bench.clock.advance(1000);
    expect(await refusalOf(guess(501))).toBe('sign_in_refused');
    await expect(guess(502)).rejects.toMatchObject({ name: 'TooManyAttempts', retryAfterMs: 2000 });
    expect((await bench.use.signIn({ email, code })).adjuster.email).toBe(email);
  });

  test('slow the mails down after 1,000, from when on an owner has one try at each', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    for (let n = 0; n < 1000; n++) await bench.use.requestSignInCode(`nobody-${n}@example.net`, clientOf(n));
    const ask = async () => {
      const before = bench.outside.mails.length;
      await bench.use.requestSignInCode(email);
      return bench.outside.mails.slice(before)[0]?.code;
    };
    expect(await ask()).toBeUndefined();
    bench.clock.advance(1000);
    const code = (await ask()) ?? '';
    expect(await refusalOf(bench.use.signIn({ email, code: wrongFor(code) }))).toBe('sign_in_refused');
    expect(await refusalOf(bench.use.signIn({ email, code }))).toBe('sign_in_refused');
    expect(await ask()).toBeUndefined();
    bench.clock.advance(2000);
    expect(await ask()).toBe(code);
    expect((await bench.use.signIn({ email, code })).adjuster.email).toBe(email);
  });
});
