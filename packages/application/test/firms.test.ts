import { expect, test } from '@jest/globals';
import { makeCreateFirm, makeCreateFirstFirm, makeEraseFirm, makeExportFirm } from '@svc/application';
import { type FirmId, type Svcid, TEST_BEHAVIORS } from '@svc/domain';
import { createFixedClock, OPERATOR } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

const command = { name: 'Gulf Adjusting', plan: 'standard' } as const;

const setUp = () => {
  const { memory, secrets, clock, ids, auditOf } = memoryFixture();
  const deps = { uow: memory.unitOfWork, secrets, clock, ids, operator: OPERATOR };
  return { memory, deps, auditOf };
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
  const { memory, deps, auditOf } = setUp();
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
  expect((await auditOf(firm.id)).flatMap(({ changes }) => changes?.erasure ?? [])).toEqual([
    { from: null, to: 'started' },
    { from: 'started', to: 'finished' },
  ]);
});

test('a firm under legal hold loses nothing when it is to be erased, and at most a batch when the hold comes later', async () => {
  const { use, memory, newTeam } = memoryFixture();
  const [{ firm }, other] = [await newTeam(), await newTeam()];
  const batches: number[] = [];
  const eraseFirm = makeEraseFirm({
    ...memory,
    ...{ uow: memory.unitOfWork, clock: createFixedClock(), operator: OPERATOR },
    firmData: {
      ...memory.firmData,
      async eraseBatch(id) {
        batches.push(await memory.firmData.eraseBatch(id));
        if (id === firm.id) await use.setLegalHold(id, true);
        return batches.length < 9 ? 1 : 0;
      },
    },
    async pause() {
      batches.push(0);
    },
  });
  const erase = ({ id, name }: typeof firm) => eraseFirm(id, name, () => {});
  const held = await use.setLegalHold(firm.id, true);
  await use.setLegalHold(other.firm.id, true);
  await use.setLegalHold(other.firm.id, false);
  for (let times = 0; times < 2; times += 1)
    await expect(erase(firm)).rejects.toThrow(`the firm ${firm.id} is under legal hold; release it first`);
  expect(batches).toEqual([]);
  expect(await memory.operatorReads.firm(firm.id)).toMatchObject({ erasure: null, name: firm.name });
  expect([await use.setLegalHold(firm.id, true), await use.setLegalHold(firm.id, false)]).toEqual([
    held,
    null,
  ]);
  await expect(erase(firm)).rejects.toThrow('under legal hold');
  await expect(erase({ ...firm, name: other.firm.name })).rejects.toThrow('is not');
  expect(batches).toHaveLength(2);
  expect(await memory.operatorReads.firm(firm.id)).toMatchObject({ erasure: 'started', name: firm.name });
  await expect(erase({ ...other.firm, name: firm.name })).rejects.toThrow('is not');
  expect(await erase(other.firm)).toBeGreaterThan(0);
});

test('an export has each row of its firm once, over several pages, and nothing private to its adjusters', async () => {
  const { use, memory, newTeam, clock } = memoryFixture();
  const { firm, svcId } = await newTeam();
  await use.setAvailability({ svcId }, { workZip: '33931' });
  await use.saveCredentials({ svcId }, { licenses: [] });
  const [view] = await memory.boardReads.members(firm.id, [svcId]);
  /** Rows named by their numbers, of which each page has two. */
  const pages =
    <Row, After>(rows: readonly Row[], isAfter: (row: Row, after: After) => boolean) =>
    async (id: FirmId, after: After | null, limit: number): Promise<Row[]> => {
      expect([id, limit]).toEqual([firm.id, 2]);
      return rows.filter((row) => after === null || isAfter(row, after)).slice(0, limit);
    };
  const ids = ['1', '2', '3', '4', '5'];
  const members = ids.flatMap((id) =>
    view === undefined ? [] : [{ ...view, membership: { ...view.membership, svcId: id as Svcid } }],
  );
  const exportFirm = makeExportFirm({
    ...memory,
    ...{ uow: memory.unitOfWork, clock, operator: OPERATOR, exportPageRows: 2 },
    firmData: {
      ...memory.firmData,
      members: pages(members, ({ membership }, after) => membership.svcId > after),
      carriers: pages(
        ids.map((id) => ({ nameKey: id, carrier: { name: `Carrier ${id}` } })),
        ({ nameKey }, after: string) => nameKey > after,
      ),
    },
  });
  const rows = [];
  for await (const row of exportFirm(firm.id)) rows.push(row);
  expect(rows.flatMap((row) => (row.type === 'carrier' ? row.carrier.name : []))).toEqual(
    ids.map((id) => `Carrier ${id}`),
  );
  const exported = rows.flatMap((row) => (row.type === 'member' ? [row.member] : []));
  expect(exported.map(({ membership }) => membership.svcId)).toEqual(ids);
  expect(view?.adjuster).toMatchObject({ availability: { workZip: '33931' } });
  for (const { adjuster } of exported)
    expect(Object.keys(adjuster).filter((name) => /avail|credent/.test(name))).toEqual([]);
  expect(rows.flatMap((row) => (row.type === 'audit' ? [row.row.seq] : []))).toEqual(
    (await memory.auditReads.rows(firm.id, { after: 0, limit: 99 })).map(({ seq }) => seq),
  );
});
