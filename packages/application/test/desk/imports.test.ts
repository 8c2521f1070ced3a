import { expect, test } from '@jest/globals';
import type { StaffId, Svcid } from '@svc/domain';
import { type ClaimToSend, errorCodeOf, type Fixture } from '@svc/testkit';
import { makeAdjustersByName, makeSendImported } from '../../src/desk/imports.ts';
import type { FirmActor, ImportOutcome } from '../../src/index.ts';
import { memoryFixture } from '../memory-fixture.ts';

type SendClaim = Fixture['use']['sendClaim'];

async function setUp(wrapped: (sendClaim: SendClaim) => SendClaim = (sendClaim) => sendClaim) {
  const fixture = memoryFixture();
  const { memory, use, clock, ids } = fixture;
  const firm = await fixture.newFirm();
  const deps = { ...memory, uow: memory.unitOfWork, clock, ids, sendClaim: wrapped(use.sendClaim) };
  const imports = { ...use, sendImported: makeSendImported(deps) };
  const start = (actor: FirmActor = firm.test) =>
    imports.startImport(actor, {
      ...{ id: undefined, name: 'Monday', fileName: 'Monday.csv', columns: { Zip: null }, totalRows: 50 },
    });
  const rowOf = (claim: ClaimToSend, adjuster = firm.accounts.manual) => ({
    ...claim,
    adjuster,
    fingerprint: claim.asSent,
    idempotencyKey: `import-${claim.asSent}`,
  });
  const sendRows = async (commands: (ReturnType<typeof rowOf> | undefined)[], actor = firm.test) => {
    const { id } = await start(actor);
    return imports.sendImported(actor, { id, commands, fromRow: 2, untilRow: 9, nextRow: null });
  };
  return { ...fixture, firm, deps, imports, start, rowOf, sendRows };
}

/** The values of an error, which `toEqual` does not compare. */
const comparable = (one: ImportOutcome | undefined) =>
  one?.outcome === 'failed' ? [one.error.code, one.error.existingClaimId, one.error.message] : one;

test('each part of an import is recorded with who sent or only checked it; it may change its name and columns, and show more rows', async () => {
  const { imports, firm, start, clock, auditOf } = await setUp();
  const at = clock.now();
  expect(await imports.rememberedColumns(firm.id, 'Monday')).toEqual({});
  const staffId = 'staff' as StaffId;
  const origin = { staffId, address: '192.0.2.7', requestId: 'request' };
  const started = await start({ ...firm.test, origin });
  const { id } = started;
  expect(started).toEqual({
    ...{ firmId: firm.id, environment: 'test', id, createdAt: at, updatedAt: at },
    ...{ name: 'Monday', fileName: 'Monday.csv', columns: { Zip: null }, totalRows: 50 },
    ...{ nextRow: null, nextUncounted: 0, sent: 0, alreadySent: 0, failed: 0 },
  });
  expect(await imports.readImport(firm.id, id)).toEqual(started);
  expect(await imports.rememberedColumns(firm.id, 'Monday')).toEqual({ Zip: null });
  clock.advance(1000);
  for (const [totalRows, most] of [
    [49, 50],
    [51, 51],
  ] as const) {
    const part = { id, name: 'Tuesday', fileName: null, columns: { Zip: 'loss_location.zip' }, totalRows };
    const changed = await imports.startImport(firm.test, { ...part, isDryRun: totalRows === 49 });
    expect(changed).toEqual({ ...started, ...part, totalRows: most, updatedAt: clock.now() });
    expect(await imports.readImport(firm.id, id)).toEqual(changed);
  }
  expect((await auditOf(firm.id)).filter(({ object }) => object === `import:${id}`)).toMatchObject([
    { at, actor: `staff:${staffId}`, address: '192.0.2.7', requestId: 'request', action: 'claims.import' },
    { actor: `firm:${firm.id}`, action: 'claims.check' },
    { actor: `firm:${firm.id}`, action: 'claims.import' },
  ]);
  const checked = await imports.startImport(firm.test, { ...started, id: undefined, isDryRun: true });
  const object = `import:${checked.id}`;
  expect((await auditOf(firm.id)).at(-1)).toMatchObject({ action: 'claims.check', object });
  expect(await imports.readImport(firm.id, checked.id)).toEqual(checked);
});

test('an import is continued and read by its own firm alone, in its own environment', async () => {
  const { imports, firm, start, newFirm } = await setUp();
  const started = await start();
  const other = await newFirm();
  const part = { id: started.id, name: 'Monday', fileName: null, columns: {}, totalRows: 99 };
  const rows = { id: started.id, commands: [], fromRow: 2, untilRow: 9, nextRow: null };
  for (const [attempt, code] of [
    [imports.startImport(other.test, part), 'not_found'],
    [imports.readImport(other.id, started.id), 'not_found'],
    [imports.sendImported(other.test, rows), 'not_found'],
    [imports.startImport(firm.live, part), 'import_environment_differs'],
    [imports.startImport(firm.live, { ...part, isDryRun: true }), 'import_environment_differs'],
  ] as const)
    expect(await errorCodeOf(attempt)).toBe(code);
  await expect(imports.startImport(firm.live, part)).rejects.toThrow(
    'This import is for test claims. Leave out import_id to import into live.',
  );
  expect(await imports.readImport(firm.id, started.id)).toEqual(started);
});

test('rows are sent ten at a time, and counted once however often they are sent', async () => {
  let [running, most] = [0, 0];
  const { imports, firm, start, newClaim, rowOf, clock } = await setUp((sendClaim) => async (...claim) => {
    running += 1;
    most = Math.max(most, running);
    return sendClaim(...claim).finally(() => (running -= 1));
  });
  const { id } = await start();
  const [one, ...others] = Array.from({ length: 22 }, () => rowOf(newClaim()));
  const commands = [undefined, one, ...others, rowOf(newClaim(), 'nobody' as Svcid)];
  const part = { id, commands, fromRow: 2, untilRow: 26, nextRow: 28 };
  const first = await imports.sendImported(firm.test, part);
  expect(first.map((each) => each?.outcome)).toEqual([undefined, ...Array(22).fill('sent'), 'failed']);
  expect(most).toBe(10);
  const counted = {
    ...{ updatedAt: clock.now(), nextRow: 28, nextUncounted: 26, sent: 22, alreadySent: 0, failed: 2 },
  };
  clock.advance(1000);
  expect(await imports.sendImported(firm.test, part)).toEqual(
    first.map((each) => (each?.outcome === 'sent' ? { ...each, outcome: 'already_sent' } : each)),
  );
  expect(await imports.readImport(firm.id, id)).toMatchObject(counted);
  const end = { id, commands: [one], fromRow: 26, untilRow: 27, nextRow: null };
  for (let n = 0; n < 2; n += 1) await imports.sendImported(firm.test, end);
  expect(await imports.readImport(firm.id, id)).toMatchObject({
    ...counted,
    ...{ updatedAt: clock.now(), nextRow: null, nextUncounted: 27, alreadySent: 1 },
  });
  const commandsOfLast = [one, undefined, rowOf(newClaim())];
  const last = { id, commands: commandsOfLast, fromRow: 27, untilRow: 30, nextRow: 30 };
  await imports.sendImported(firm.test, last);
  // Some of these rows again, with later ones.
  await imports.sendImported(firm.test, { ...last, untilRow: 31, nextRow: null });
  const inAll = { nextRow: 30, nextUncounted: 30, sent: 23, alreadySent: 2, failed: 3 };
  const continued = { id, name: 'Monday', fileName: null, columns: {}, totalRows: 60 };
  expect(await imports.startImport(firm.test, continued)).toMatchObject({ ...continued, ...inAll });
});

test('sending and the check before it find the same claims, which have the external id or an open number', async () => {
  const { imports, firm, use, newClaim, newMember, send, sendId, rowOf, sendRows } = await setUp();
  const [same, taken, closed, live] = [newClaim(), newClaim(), newClaim(), newClaim()];
  const sendOne = (claim: ClaimToSend) => sendId(firm.test, firm.accounts.manual, { claim });
  const [sameId, takenId, closedId] = [await sendOne(same), await sendOne(taken), await sendOne(closed)];
  await use.closeClaimAsOperator(closedId);
  await send(firm.live, await newMember(firm), { claim: live });
  const withNumberOf = ({ facts: { claimNumber } }: ClaimToSend) => newClaim({ claimNumber });
  const claims = [same, undefined, withNumberOf(taken), closed, withNumberOf(closed), live];
  const found = [
    { outcome: 'already_sent', claimId: sameId },
    undefined,
    ['duplicate_claim', takenId, expect.stringContaining('claim_number')],
    { outcome: 'already_sent', claimId: closedId },
  ];
  const checked = await imports.checkExisting(firm.test, claims);
  expect(checked.map(comparable)).toEqual([...found, undefined, undefined]);
  const sent = await sendRows(claims.map((claim) => claim && rowOf(claim)));
  const isSent = expect.objectContaining({ outcome: 'sent' });
  expect(sent.map(comparable)).toEqual([...found, isSent, isSent]);
});

test('a row is the claim that exists only with its content, in any format, and otherwise names what differs', async () => {
  const { imports, firm, newClaim, send, start, rowOf, sendRows } = await setUp();
  const claim = newClaim();
  await send(firm.test, firm.accounts.manual, { claim });
  const asSent = (text: string) => rowOf({ ...claim, asSent: text as ClaimToSend['asSent'] });
  const { loss, building, ...others } = JSON.parse(claim.asSent);
  const rows = [
    asSent(claim.asSent.replaceAll(',', ' ,\n')),
    asSent(JSON.stringify({ ...others, building, loss })),
    asSent(
      JSON.stringify({
        ...others,
        file_number: 'F-1',
        extra: { deep: { list: ['a'] } },
        loss: { ...loss, date: '2020-01-01', peril: undefined },
      }),
    ),
  ];
  const expected = [
    { outcome: 'already_sent' },
    { outcome: 'already_sent' },
    {
      outcome: 'different',
      differences: [
        { path: 'file_number', existing: null },
        { path: 'extra.deep.list', existing: null },
        { path: 'loss.date', existing: JSON.stringify(loss.date) },
        { path: 'loss.peril', existing: '"flood"' },
        ...Object.entries(building).map(([name, value]) => ({
          ...{ path: `building.${name}`, existing: JSON.stringify(value) },
        })),
      ],
    },
  ];
  expect(await imports.checkExisting(firm.test, rows)).toMatchObject(expected);
  expect(await sendRows(rows)).toMatchObject(expected);
  const { id } = await start();
  await imports.sendImported(firm.test, { id, commands: rows, fromRow: 2, untilRow: 5, nextRow: null });
  expect(await imports.readImport(firm.id, id)).toMatchObject({ sent: 0, alreadySent: 2, failed: 1 });
});

test('sending and the check before it find the same about adjusters', async () => {
  const { imports, firm, newFirm, newMember, newAdjuster, newClaim, use, clock, rowOf, sendRows } =
    await setUp();
  const { paused, manual, new: invited } = firm.accounts;
  const other = await newFirm();
  const strangers = ['nobody' as Svcid, other.accounts.manual, (await newAdjuster()).svcId];
  const [limited, idle, away] = [await newMember(firm), await newMember(firm), await newMember(firm)];
  const reader = await newMember(firm);
  await use.setMember(firm.id, reader, false);
  await use.setAvailability({ svcId: limited }, { maxOpenOffers: 1 });
  await use.setAvailability({ svcId: idle }, { acceptingAssignments: false });
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  await use.setAvailability(
    { svcId: away },
    { away: [{ firstDay: today, lastDay: today, timeZone: 'UTC' }] },
  );
  const named = [paused, manual, invited, limited, idle, away, reader, await newMember(other), ...strangers];
  for (const actor of [firm.live, firm.test]) {
    const errors = await imports.checkAdjusters(actor, [...named, ...named]);
    const sent = await sendRows(
      named.map((svcId) => rowOf(newClaim(), svcId)),
      actor,
    );
    const codes = sent.map((one) => (one?.outcome === 'failed' ? one.error.code : undefined));
    expect(named.map((svcId) => errors.get(svcId)?.code)).toEqual(codes);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  }
});

test('a row whose claim was erased in between has failed, and an error of the service is no outcome', async () => {
  const { deps, firm, newClaim, send, rowOf, start } = await setUp();
  const claim = newClaim();
  await send(firm.test, firm.accounts.manual, { claim });
  const { id } = await start();
  const part = { id, commands: [rowOf(claim)], fromRow: 2, untilRow: 3, nextRow: null };
  const firmReads = { ...deps.firmReads, claim: async () => null };
  const outcomes = await makeSendImported({ ...deps, firmReads })(firm.test, part);
  expect(outcomes.map(comparable)).toEqual([['duplicate_claim', expect.any(String), expect.any(String)]]);
  const sendClaim = () => Promise.reject(new Error('out of memory'));
  const sending = makeSendImported({ ...deps, sendClaim })(firm.test, part);
  await expect(sending).rejects.toThrow('out of memory');
});

test('adjusters are found by name, in either order, and by email, if they are active members', async () => {
  const { imports, firm, newFirm, newMember, newAdjuster, invite, use } = await setUp();
  const nobody = await newAdjuster({ firstName: null, lastName: null, email: null });
  await use.addMember(firm.id, nobody.svcId);
  const [member, stranger] = [await newMember(firm), (await newAdjuster()).svcId];
  await newMember(await newFirm());
  await invite(firm, stranger);
  const name = { firstName: 'Ana', lastName: 'Ruiz' };
  const both = [(await newAdjuster(name)).svcId, (await newAdjuster(name)).svcId];
  for (const svcId of both) await use.addMember(firm.id, svcId);
  const number = (svcId: Svcid): string => svcId.replace('Adj-', '');
  const n = number(member);
  const named = await imports.adjustersByName(firm.live);
  expect([...(await imports.adjustersByName(firm.test)).values()].flat()).not.toContain(member);
  const texts = [`renee adjuster ${n}`, `adjuster ${n}, renee`, `adjuster.${n}@example.net`];
  expect(texts.map((text) => named.get(text))).toEqual(Array(3).fill([member]));
  expect(named.get('ana ruiz')).toEqual(both);
  for (const text of [`renee adjuster ${number(stranger)}`, `adjuster.${number(stranger)}@example.net`])
    expect(named.get(text)).toBeUndefined();
  expect([...named.values()].flat()).not.toContain(nobody.svcId);
});

test('adjusters on later pages are found as those on the first, in both environments', async () => {
  const { imports, deps, firm, newMember } = await setUp();
  await newMember(firm);
  await newMember(firm);
  const adjusters: typeof deps.firmReads.adjusters = (firmId, environment, page) =>
    deps.firmReads.adjusters(firmId, environment, { ...page, limit: 1 });
  const pagedByName = makeAdjustersByName({ ...deps, firmReads: { ...deps.firmReads, adjusters } });
  for (const actor of [firm.live, firm.test]) {
    const found = await imports.adjustersByName(actor);
    expect(found.size).toBeGreaterThan(3);
    expect(await pagedByName(actor)).toEqual(found);
  }
});

test('imports that have sent rows are listed in pages, the latest first, of one environment', async () => {
  const { imports, firm, use, clock, start, newClaim, newMember, rowOf } = await setUp();
  const sendIn = async (actor: FirmActor, adjuster: Svcid) => {
    clock.advance(1000);
    const { id } = await start(actor);
    const part = { id, commands: [rowOf(newClaim(), adjuster)], fromRow: 2, untilRow: 3, nextRow: null };
    await imports.sendImported(actor, part);
    return id;
  };
  const live = await sendIn(firm.live, await newMember(firm));
  const sent = [];
  for (let n = 0; n < 3; n += 1) sent.unshift(await sendIn(firm.test, firm.accounts.manual));
  await start();
  const list = async (environment: 'live' | 'test', limit: number) => {
    const ids: string[][] = [];
    for (let after: Parameters<typeof use.listInvitations>[1]['after'] | undefined; after !== null; ) {
      const page = await imports.listImports(firm.id, environment, { after: after ?? null, limit });
      ids.push(page.rows.map(({ id }) => id));
      after = page.next;
    }
    return ids;
  };
  expect(await list('test', 2)).toEqual([sent.slice(0, 2), sent.slice(2)]);
  expect([await list('test', 3), await list('live', 3)]).toEqual([[sent], [[live]]]);
});
