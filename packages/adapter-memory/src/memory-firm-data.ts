import type { FirmData } from '@svc/application';
import type { Svcid } from '@svc/domain';
import { compareText } from './pages.ts';
import { keyOf, type Tables, type WritableTables } from './tables.ts';

type Write = <T>(work: (tables: WritableTables) => Promise<T>) => Promise<T>;

export function memoryFirmData(tables: Tables, write: Write): FirmData {
  const page = <Row>(rows: readonly Row[], idOf: (row: Row) => string, after: string | null, limit: number) =>
    rows
      .filter((row) => after === null || compareText(idOf(row), after) > 0)
      .sort((one, other) => compareText(idOf(one), idOf(other)))
      .slice(0, limit);
  return {
    async claims(firmId, after, limit) {
      const own = tables.claims.all().filter((claim) => claim.firmId === firmId);
      return page(own, ({ id }) => id, after, limit);
    },
    async members(firmId, after, limit) {
      const own = tables.memberships.all().filter((membership) => membership.firmId === firmId);
      return page(own, ({ svcId }) => svcId, after, limit).flatMap((membership) => {
        const account = tables.accounts.get(keyOf(membership.svcId));
        return account === undefined ? [] : [{ membership, adjuster: account.adjuster }];
      });
    },
    async carriers(firmId, after, limit) {
      const own = tables.carriers.all().filter((carrier) => carrier.firmId === firmId);
      return page(own, ({ nameKey }) => nameKey, after, limit).map(({ nameKey, carrier }) => ({
        nameKey,
        carrier,
      }));
    },
    eraseBatch: (firmId) =>
      write(async (writable) => {
        let erased = 0;
        const erase = <Row>(
          table: { all(): Row[]; delete(key: string): void },
          isOwn: (row: Row) => boolean,
          key: (row: Row) => string,
        ): void => {
          for (const row of table.all()) {
            if (!isOwn(row)) continue;
            table.delete(key(row));
            erased += 1;
          }
        };
        const accounts = new Set(
          writable.accounts
            .all()
            .filter(({ adjuster }) => adjuster.testOf?.firmId === firmId)
            .map(({ adjuster }) => adjuster.svcId),
        );
        const eraseOfAccounts = <Row extends { readonly svcId: Svcid }>(
          table: { all(): Row[]; delete(key: string): void },
          key: (row: Row) => string,
        ): void => erase(table, ({ svcId }) => accounts.has(svcId), key);
        erase(
          writable.jobs,
          ({ job }) => 'firmId' in job && job.firmId === firmId,
          ({ number }) => keyOf(number),
        );
        erase(
          writable.idempotency,
          ({ slot }) => slot.firmId === firmId,
          ({ slot }) => keyOf(slot.firmId, slot.environment, slot.key),
        );
        erase(
          writable.claims,
          (claim) => claim.firmId === firmId,
          ({ id }) => keyOf(id),
        );
        erase(
          writable.carriers,
          (carrier) => carrier.firmId === firmId,
          ({ nameKey }) => keyOf(firmId, nameKey),
        );
        erase(
          writable.memberships,
          (membership) => membership.firmId === firmId,
          ({ svcId }) => keyOf(firmId, svcId),
        );
        erase(
          writable.keys,
          (key) => key.firmId === firmId,
          ({ id }) => keyOf(id),
        );
        eraseOfAccounts(writable.sessions, ({ tokenHash }) => keyOf(tokenHash));
        eraseOfAccounts(writable.devices, ({ svcId, deviceId }) => keyOf(svcId, deviceId));
        eraseOfAccounts(writable.passkeys, ({ id }) => keyOf(id));
        eraseOfAccounts(writable.emailChanges, ({ svcId }) => keyOf(svcId));
        erase(
          writable.accounts,
          ({ adjuster }) => accounts.has(adjuster.svcId),
          ({ adjuster }) => keyOf(adjuster.svcId),
        );
        return erased;
      }),
  };
}
