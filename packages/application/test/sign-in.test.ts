import { describe, expect, test } from '@jest/globals';
import { makeRequestSignInCode } from '@svc/application';
import { MINUTE } from '@svc/domain';
import { type Bench, refusalOf } from '@svc/testkit';
import { memoryBench } from './memory-bench.ts';

const codeFor = async (bench: Bench, email: string): Promise<string> => {
  const before = bench.outside.mails.length;
  await bench.use.requestSignInCode(email);
  const mail = bench.outside.mails[before];
  if (mail === undefined) throw new Error('no mail was sent');
  expect(mail.email).toBe(email);
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

  test('is over as soon as a newer one was asked for, which has tries of its own', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const first = await codeFor(bench, email);
    for (let n = 0; n < 5; n++) await refusalOf(bench.use.signIn({ email, code: wrongFor(first) }));
    const second = await codeFor(bench, email);
    expect(second).not.toBe(first);
    expect(await refusalOf(bench.use.signIn({ email, code: first }))).toBe('sign_in_refused');
    await bench.use.signIn({ email, code: second });
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
    expect(bench.outside.spent.map(({ limits }) => limits)).toEqual([
      bench.outside.spent[0]?.limits,
      bench.outside.spent[0]?.limits,
    ]);
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

  test('counts against the address, whatever its capitals', async () => {
    const bench = memoryBench();
    await bench.use.requestSignInCode('A@example.net');
    await bench.use.requestSignInCode('a@EXAMPLE.net');
    const subjects = bench.outside.spent.map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(1);
  });

  test('too often mails nothing, leaves the code that is out, and tells nobody', async () => {
    const bench = memoryBench();
    const email = (await bench.newAdjuster()).email ?? '';
    const code = await codeFor(bench, email);
    bench.outside.refuses = true;
    expect(await bench.use.requestSignInCode(email)).toBeUndefined();
    expect(bench.outside.mails).toHaveLength(1);
    await bench.use.signIn({ email, code });
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
      limiter: { spend: async () => ({ allowed: true }) },
      mailer: {
        sendSignInCode: () => {
          handed += 1;
          return new Promise(() => {});
        },
      },
    });
    await request(email);
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
