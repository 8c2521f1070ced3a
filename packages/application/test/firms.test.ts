import { expect, test } from '@jest/globals';
import { makeCreateFirm, makeCreateFirstFirm, makeEraseFirm } from '@svc/application';
import { TEST_BEHAVIORS } from '@svc/domain';
import { OPERATOR } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

const command = { name: 'Gulf Adjusting', plan: 'standard' } as const;

const setUp = () => {
  const { memory, secrets, clock, ids } = memoryFixture();
  const deps = { uow: memory.unitOfWork, secrets, clock, ids, operator: OPERATOR };
  return { memory, deps };
};

test('the first firm is created once, also by two processes that start at the same time', async () => {
  const { memory, deps } = setUp();
  const createFirstFirm = makeCreateFirstFirm(deps);
  const [created, other] = await Promise.all([createFirstFirm(command), createFirstFirm(command)]);
  expect(await memory.operatorReads.firms()).toEqual([created?.firm]);
  expect(created?.testAccounts.map(({ behavior }) => behavior)).toEqual(TEST_BEHAVIORS);
  expect([other, await createFirstFirm(command)]).toEqual([null, null]);
});

test('a firm is not created with test accounts that another firm has', async () => {
  const { memory, deps } = setUp();
  const createFirm = makeCreateFirm({ ...deps, secrets: { ...deps.secrets, testAccountTag: () => 'Same' } });
  const { firm } = await createFirm(command);
  await expect(createFirm(command)).rejects.toThrow('generated test account tag is already in use');
  expect(await memory.operatorReads.firms()).toEqual([firm]);
});

test('a firm is erased in batches until nothing is left, and its name last', async () => {
  const { memory, deps } = setUp();
  const { firm } = await makeCreateFirm(deps)(command);
  const batches = [500, 500, 20];
  const names: (string | undefined)[] = [];
  const eraseFirm = makeEraseFirm({
    ...memory,
    ...deps,
    operatorReads: memory.operatorReads,
    firmData: {
      ...memory.firmData,
      async eraseBatch() {
        names.push((await memory.operatorReads.firm(firm.id))?.name);
        return batches.shift() ?? 0;
      },
    },
    pause: async () => {},
  });
  const progress: number[] = [];
  expect(await eraseFirm(firm.id, firm.name, (rows) => progress.push(rows))).toBe(1020);
  expect(progress).toEqual([500, 1000, 1020, 1020]);
  expect(names).toEqual(Array(4).fill(firm.name));
  expect((await memory.operatorReads.firm(firm.id))?.name).toBe('Erased firm');
});
