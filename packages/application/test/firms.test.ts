import { expect, test } from '@jest/globals';
import {
  type ClaimImport,
  type ExportedRow,
  type LoggedRequests,
  makeCreateFirm,
  makeCreateFirstFirm,
  makeEraseFirm,
  makeExportFirm,
  makeSetLegalHold,
  type RequestPosition,
} from '@svc/application';
import { type FirmId, NO_OVERRIDES, type Svcid, TEST_BEHAVIORS } from '@svc/domain';
import { aLoggedRequest, OPERATOR } from '@svc/testkit';
import { memoryFixture } from './memory-fixture.ts';

const command = { name: 'Gulf Adjusting', plan: 'standard' } as const;

const setUp = () => {
  const { memory, secrets, clock, ids, auditOf, use } = memoryFixture();
  const deps = { uow: memory.unitOfWork, secrets, clock, ids, operator: OPERATOR };
  return { memory, deps, auditOf, use };
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

test('a firm loses access, is erased a moment later in batches until nothing is left, and its name last', async () => {
  const { memory, deps, auditOf, use } = setUp();
  const { firm } = await makeCreateFirm(deps)(command);
  const key = { firmId: firm.id, environment: 'live', purpose: 'claims', lifetimeMs: null } as const;
  await use.createKey(key);
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
    async pause(ms) {
      const keys = await memory.operatorReads.keys(firm.id);
      await new Promise(setImmediate);
      names.push(`${ms} ms without ${keys.length} keys`);
    },
  });
  const progress: number[] = [];
  expect(await eraseFirm(firm.id, firm.name, (rows) => progress.push(rows))).toBe(1020);
  expect(progress).toEqual([500, 1000, 1020, 1020]);
  expect(names).toEqual(['1000 ms without 0 keys', ...Array(4).fill(firm.name)]);
  expect((await memory.operatorReads.firm(firm.id))?.name).toBe('Erased firm');
  expect(await eraseFirm(firm.id, 'Any', () => {})).toBe(0);
  expect((await auditOf(firm.id)).flatMap(({ changes }) => changes?.erasure ?? [])).toEqual([
    { from: null, to: 'started' },
    { from: 'started', to: 'finished' },
  ]);
});

test('a legal hold prevents an erasure, or ends it before the next batch; whoever erases has to name the firm', async () => {
  const { memory, deps } = setUp();
  const { firm } = await makeCreateFirm(deps)(command);
  const setLegalHold = makeSetLegalHold({ ...memory, ...deps });
  const batches = [500, 500, 0];
  const eraseBatch = async () => {
    await setLegalHold(firm.id, true);
    return batches.shift() ?? 0;
  };
  const firmData = { ...memory.firmData, eraseBatch };
  const eraseFirm = makeEraseFirm({ ...memory, ...deps, firmData, pause: async () => {} });
  const progress: number[] = [];
  const erase = (name: string) => eraseFirm(firm.id, name, (rows) => progress.push(rows));
  const since = await setLegalHold(firm.id, true);
  deps.clock.advance(1);
  expect(await setLegalHold(firm.id, true)).toBe(since);
  await expect(erase(firm.name)).rejects.toThrow('is under legal hold');
  await setLegalHold(firm.id, false);
  await expect(erase('Gulf')).rejects.toThrow('is not "Gulf"');
  expect(await memory.operatorReads.firm(firm.id)).toEqual(firm);
  await expect(erase(firm.name)).rejects.toThrow('is under legal hold');
  expect(progress).toEqual([500]);
  await setLegalHold(firm.id, false);
  await expect(erase('Gulf')).rejects.toThrow('is not "Gulf"');
});

test('nothing of a firm that is being erased or is erased can be changed', async () => {
  const { use, memory, newTeam, newStaff, newKey, newAdjuster, newClaim, send } = memoryFixture();
  const { firm, svcId } = await newTeam();
  const [staff, { key }, stranger] = [await newStaff(firm), await newKey(firm), await newAdjuster()];
  const carrier = { name: 'Gulf' };
  await send(firm.live, svcId, { claim: newClaim({ carrier }) });
  const caller = { actor: 'x', address: null, requestId: null };
  const properties = { firmId: firm.id, environment: 'live' } as const;
  const outcomes = async () => {
    const codes = [];
    for (const attempt of [
      () => use.setCarrier(firm.id, 'Gulf', { phone: '1' }),
      () => use.removeCarrier(firm.id, 'Gulf'),
      () => use.createWebhook(caller, { ...properties, url: 'https://hooks.example' }),
      () => use.inviteStaff({ firmId: firm.id, name: 'Ben', email: 'ben@example.net', role: 'auditor' }),
      () => use.updateStaff(staff, { name: 'Zoë' }),
      () => use.removeStaff(staff),
      () => use.setClocks(staff, () => ({ rules: [], timeZone: 'America/Chicago' })),
      () => use.createKey({ ...properties, purpose: 'claims', lifetimeMs: null }),
      () => use.rollKey(key.id, 0),
      () => use.setPlan(firm.id, 'read_only'),
      () => use.setLimits(firm.id, NO_OVERRIDES, 1),
      () => use.setOfferWait(firm.id, 4),
      () => use.addMember(firm.id, stranger.svcId),
    ])
      codes.push(await attempt().then(String, (error: Error) => error.message));
    return new Set(codes);
  };
  for (const [erasure, message] of [
    ['started', `The firm ${firm.id} is being erased.`],
    ['finished', `The firm ${firm.id} is erased.`],
  ] as const) {
    await memory.unitOfWork.run(async (tx) => {
      const current = await tx.firms.lock(firm.id);
      if (current !== null) await tx.firms.save({ ...current, erasure });
    });
    expect(await outcomes()).toEqual(new Set([message]));
  }
});

test('an export has each row of its firm once, over several pages, and nothing private to its adjusters', async () => {
  const { use, memory, newTeam, newStaff, newKey, sendId, clock } = memoryFixture();
  const { firm, svcId } = await newTeam();
  const [one, two, three] = [await newStaff(firm), await newStaff(firm), await newKey(firm)];
  for (let n = 0; n < 5; n += 1) {
    const claimId = await sendId(firm.live, svcId);
    const offer = { firmId: firm.id, claimId, environment: 'live', adjuster: svcId } as const;
    await memory.offerHistory.append([{ ...offer, offeredAt: clock.now(), seenAt: n }]);
  }
  const heldSince = await use.setLegalHold(firm.id, true);
  const requests: LoggedRequests[] = [
    [aLoggedRequest(), aLoggedRequest()],
    ...Array.from({ length: 3 }, (): LoggedRequests => [aLoggedRequest()]),
  ];
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
  const imports = ids.map(
    (id): ClaimImport => ({
      ...{ id, firmId: firm.id, environment: 'live', name: id, fileName: null, columns: {}, totalRows: 1 },
      ...{ createdAt: 0, updatedAt: 0, sent: 0, alreadySent: 0, failed: 0, nextRow: null, nextUncounted: 0 },
    }),
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
      imports: pages(imports, ({ id }, after: string) => id > after),
    },
    requestLog: {
      ...memory.requestLog,
      pageOf: pages(requests, ([latest], after: RequestPosition) => latest.requestId > after.requestId),
    },
  });
  const rows: ExportedRow[] = [];
  for await (const row of exportFirm(firm.id)) rows.push(row);
  expect(rows.flatMap((row) => (row.type === 'carrier' ? row.carrier.name : []))).toEqual(
    ids.map((id) => `Carrier ${id}`),
  );
  const { claims, offers } = memory.firmData;
  const ofType = (...types: string[]) => rows.filter(({ type }) => types.includes(type));
  expect(ofType('firm', 'key', 'staff', 'claim', 'offer', 'import', 'request')).toEqual([
    { type: 'firm', firm: await memory.operatorReads.firm(firm.id), legalHoldSince: heldSince },
    { type: 'key', key: three.key },
    ...[one, two].map((staff) => ({ type: 'staff', staff })),
    ...(await claims(firm.id, null, 99)).map((claim) => ({ type: 'claim', claim })),
    ...(await offers(firm.id, null, 99)).map((offer) => ({ type: 'offer', offer })),
    ...imports.map((each) => ({ type: 'import', import: each })),
    ...requests.flat().map((request) => ({ type: 'request', request })),
  ]);
  expect([ofType('claim').length, ofType('offer').length]).toEqual([5, 5]);
  const exported = rows.flatMap((row) => (row.type === 'member' ? [row.member] : []));
  expect(exported.map(({ membership }) => membership.svcId)).toEqual(ids);
  expect(view?.adjuster).toMatchObject({ availability: { workZip: '33931' } });
  for (const { adjuster } of exported)
    expect(Object.keys(adjuster).filter((name) => /avail|credent/.test(name))).toEqual([]);
  expect(rows.flatMap((row) => (row.type === 'audit' ? [row.row.seq] : []))).toEqual(
    (await memory.auditReads.rows(firm.id, { after: 0, limit: 99 })).map(({ seq }) => seq),
  );
});
