import { describe, expect, test } from '@jest/globals';
import { DAY, type EnteredCredentials, type Svcid } from '@svc/domain';
import { errorCodeOf } from '../../error-code.ts';
import type { Fixture } from '../../fixture.ts';

export function credentialsBehavior(fixture: () => Fixture): void {
  const dateIn = (days: number): string =>
    new Date(fixture().clock.now() + days * DAY).toISOString().slice(0, 10);
  const held = (days = 400): EnteredCredentials => ({
    fcn: { number: '0070012345', categories: ['residential', 'rcbap'], expiresOn: dateIn(days) },
    licenses: [{ state: 'FL', kind: 'non_resident', number: 'W482913', expiresOn: dateIn(days) }],
  });

  describe('credentials', () => {
    test('are replaced as a whole, read back, and removed by their adjuster', async () => {
      const { newAdjuster, use, stores } = fixture();
      const [{ svcId }, other] = [await newAdjuster(), await newAdjuster()];
      const actor = { svcId };
      expect(await use.readCredentials(actor)).toEqual({});
      const before = await stores.appReads.revisions([svcId]);
      expect(await use.saveCredentials(actor, held())).toEqual(held());
      expect(await use.readCredentials(actor)).toEqual(held());
      expect(await stores.appReads.revisions([svcId])).not.toEqual(before);
      const { fcn: _, ...rest } = held();
      await use.saveCredentials(actor, rest);
      expect(await use.readCredentials(actor)).toEqual(rest);
      expect(await use.readCredentials({ svcId: other.svcId })).toEqual({});
      await use.saveCredentials(actor, {});
      expect(await use.readCredentials(actor)).toEqual({});
    });

    test('that were made from others are not saved, unless they are the same', async () => {
      const { newAdjuster, use } = fixture();
      const actor = { svcId: (await newAdjuster()).svcId };
      await use.saveCredentials(actor, held());
      const save = (wanted: EnteredCredentials) => use.saveCredentials(actor, wanted, () => false);
      expect(await errorCodeOf(save({}))).toBe('credentials_changed');
      expect(await save(held())).toEqual(held());
      expect(await use.readCredentials(actor)).toEqual(held());
    });

    test('are lost by neither of two devices that save at once', async () => {
      const { newAdjuster, use } = fixture();
      const actor = { svcId: (await newAdjuster()).svcId };
      const isEmpty = (current: EnteredCredentials) => Object.keys(current).length === 0;
      const wanted: EnteredCredentials[] = [held(400), held(500)];
      const saved = await Promise.allSettled(wanted.map((one) => use.saveCredentials(actor, one, isEmpty)));
      const winner = saved.findIndex(({ status }) => status === 'fulfilled');
      expect(saved.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await use.readCredentials(actor)).toEqual(wanted[winner]);
    });

    test('are seen by a firm only while its member shares them, and in no export', async () => {
      const { newFirm, newAdjuster, newMember, use, stores } = fixture();
      const [firm, elsewhere] = [await newFirm(), await newFirm()];
      const [svcId, secretive, empty] = [await newMember(firm), await newMember(firm), await newMember(firm)];
      await use.addMember(elsewhere.id, svcId);
      for (const one of [svcId, secretive]) await use.saveCredentials({ svcId: one }, held());
      await use.setSharing({ svcId: empty }, firm.id, { credentials: true });
      const seen = async (by = firm) => [
        ...(await stores.boardReads.sharedCredentials(by.id, [
          ...[svcId, secretive, empty, 'nobody' as Svcid],
        ])),
      ];
      expect(await seen()).toEqual([]);
      await use.setSharing({ svcId }, firm.id, { credentials: true });
      expect(await seen()).toEqual([[svcId, held()]]);
      await use.setSharing({ svcId }, firm.id, { credentials: false, workArea: true });
      expect(await seen()).toEqual([]);
      expect(await seen(elsewhere)).toEqual([]);
      expect((await stores.firmReads.adjuster(firm.id, svcId))?.adjuster).not.toHaveProperty('credentials');
      const rows: unknown[] = [];
      for await (const row of use.exportFirm(firm.id)) rows.push(row);
      const exported = JSON.stringify(rows);
      const contains = [svcId, 'W482913', '0070012345'].map((text) => exported.includes(text));
      expect(contains).toEqual([true, false, false]);
      await use.setSharing({ svcId }, firm.id, { credentials: true });
      await use.leaveFirm({ svcId }, firm.id);
      expect(await seen()).toEqual([]);
      // Those who left are read, since the firm has claims of theirs; those of other firms are not.
      const read = await stores.boardReads.members(firm.id, [svcId, empty, (await newAdjuster()).svcId]);
      expect(read.map(({ membership }) => membership.status).toSorted()).toEqual(['active', 'left']);
    });

    test('that end are announced 60 and 14 days before, once, also by a job that runs twice', async () => {
      const { newAdjuster, use, stores, clock, external } = fixture();
      const { svcId } = await newAdjuster();
      await use.saveCredentials({ svcId }, held(100));
      const { expiresOn = '' } = held(100).fcn ?? {};
      // The same again queues nothing more, nor does a later end.
      await use.saveCredentials({ svcId }, held(100));
      await use.saveCredentials({ svcId }, { ...held(100), licenses: [] });
      const jobs = async () => (await stores.jobs.pending()).filter(({ job }) => job.svcId === svcId);
      const told: number[] = [];
      const done = new Set<string>();
      for (let today = 0; today <= 110; today += 1) {
        const due = async () =>
          (await jobs()).filter(
            ({ job, runAt }) =>
              !done.has(JSON.stringify([job, runAt])) &&
              (job.kind === 'notify_credentials' || runAt <= clock.now()),
          );
        for (let found = await due(); found.length > 0; found = await due())
          for (const { job, runAt } of found) {
            done.add(JSON.stringify([job, runAt]));
            const before = external.notifications.length;
            // Two processes.
            const times = job.kind === 'remind_credentials' ? 2 : 1;
            await Promise.all(Array.from({ length: times }, () => use.runJob(job)));
            const sent = external.notifications.slice(before);
            if (sent.length > 0) told.push(today);
            for (const { notification } of sent)
              expect(notification).toEqual({ kind: 'credentials', expiresOn });
          }
        clock.advance(DAY);
      }
      expect(told).toHaveLength(2);
      expect((told[1] ?? 0) - (told[0] ?? 0)).toBe(46);
      expect(await jobs()).toHaveLength(done.size);
    });
  });
}
