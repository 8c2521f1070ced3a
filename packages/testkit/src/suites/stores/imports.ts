import { expect, test } from '@jest/globals';
import type { ClaimImport } from '@svc/application';
import { DAY } from '@svc/domain';
import type { Fixture } from '../../fixture.ts';

export function importsBehavior(fixture: () => Fixture): void {
  test('an import keeps its columns and progress, and the last one of a name is remembered, by firm', async () => {
    const { newFirm, stores, clock, ids, use } = fixture();
    const [firm, other] = [await newFirm(), await newFirm()];
    const { unitOfWork } = stores;
    const started = (name: string, updatedAt: number): ClaimImport => ({
      firmId: firm.id,
      id: ids.next(),
      name,
      fileName: 'Monday 11-28.csv',
      environment: 'test',
      columns: { 'Claim "№"': 'claim_number', Code: null },
      totalRows: 120,
      nextRow: null,
      nextUncounted: 0,
      sent: 0,
      alreadySent: 0,
      failed: 0,
      createdAt: clock.now(),
      updatedAt,
    });
    const [older, latest, another] = [
      started('Monday', clock.now()),
      started('Monday', clock.now() + DAY),
      started('Tuesday', clock.now() + 2 * DAY),
    ];
    await unitOfWork.run(async (tx) => {
      for (const one of [older, latest, another]) await tx.imports.add(one);
    });
    const changed = {
      ...older,
      columns: { A: null },
      fileName: null,
      totalRows: 121,
      updatedAt: older.updatedAt + 1,
      nextRow: 53,
      nextUncounted: 52,
      sent: 48,
      alreadySent: 3,
      failed: 1,
    };
    await unitOfWork.run((tx) => tx.imports.save(changed));
    await unitOfWork.run(async (tx) => {
      expect(await tx.imports.lock(firm.id, older.id)).toEqual(changed);
      expect(await tx.imports.lock(other.id, older.id)).toBeNull();
      expect(await tx.imports.latestNamed(firm.id, 'Monday')).toEqual(latest);
      expect(await tx.imports.latestNamed(other.id, 'Monday')).toBeNull();
      const sent = (...page: [string | null, number]) => tx.imports.sent(firm.id, 'test', ...page);
      expect(await sent(null, 9)).toEqual([changed]);
      await tx.imports.save({ ...another, nextUncounted: 1 });
      expect((await sent(null, 9)).map(({ id }) => id)).toEqual([another.id, changed.id]);
      expect(await sent(another.id, 9)).toEqual([changed]);
      expect(await sent(null, 1)).toHaveLength(1);
      expect(await tx.imports.sent(firm.id, 'live', null, 9)).toEqual([]);
      expect(await tx.imports.sent(other.id, 'test', null, 9)).toEqual([]);
      const renamed = { ...another, name: 'Wednesday' };
      await tx.imports.save(renamed);
      expect(await tx.imports.latestNamed(firm.id, 'Wednesday')).toEqual(renamed);
      expect(await tx.imports.latestNamed(firm.id, 'Tuesday')).toBeNull();
      await tx.imports.save(another);
    });
    // Parts of one file that are sent at the same time.
    const countOne = () =>
      unitOfWork.run(async (tx) => {
        const { sent, ...rest } = (await tx.imports.lock(firm.id, another.id)) ?? another;
        await tx.imports.save({ ...rest, sent: sent + 1 });
      });
    await Promise.all(Array.from({ length: 8 }, countOne));
    const counted = { ...another, sent: 8 };
    const exported = [];
    for await (const row of use.exportFirm(firm.id)) if (row.type === 'import') exported.push(row.import);
    expect(exported.toSorted((one, two) => (one.id < two.id ? -1 : 1))).toEqual(exported);
    expect(new Set(exported)).toEqual(new Set([latest, changed, counted]));
    await use.eraseFirm(firm.id, firm.name, () => {});
    expect(await unitOfWork.run((tx) => tx.imports.latestNamed(firm.id, 'Monday'))).toBeNull();
  });
}
