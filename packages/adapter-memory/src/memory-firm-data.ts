import type { AccountRef, FirmData, StoredOffer } from '@svc/application';
import type { Adjuster, FirmId, Svcid } from '@svc/domain';
import { compareText } from './pages.ts';
import { keyOf, type Tables, type Write } from './tables.ts';

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
    async offers(firmId, after, limit) {
      const idOf = ({ claimId, offeredAt }: StoredOffer) =>
        `${claimId} ${String(offeredAt).padStart(15, '0')}`;
      const own = tables.offers.all().filter((offer) => offer.firmId === firmId);
      const found = page(own, idOf, after === null ? null : idOf(after), limit);
      return found.map(({ firmId: _, reminderQueuedAt: __, auditSeq: ___, ...offer }) => offer);
    },
    async imports(firmId, after, limit) {
      const own = tables.imports.all().filter((one) => one.firmId === firmId);
      return page(own, ({ id }) => id, after, limit);
    },
    eraseBatch: (firmId) =>
      write(async (own) => {
        const isOwn = (row: { readonly firmId: FirmId }): boolean => row.firmId === firmId;
        const isTestAccount = ({ testOf }: Adjuster): boolean => testOf?.firmId === firmId;
        const adjusters = own.accounts.all().map(({ adjuster }) => adjuster);
        const svcIds = new Set(adjusters.filter(isTestAccount).map(({ svcId }) => svcId));
        const isOfTestAccount = ({ svcId }: { readonly svcId: Svcid }): boolean => svcIds.has(svcId);
        const isOfAccount = ({ account }: { readonly account: AccountRef }): boolean =>
          'svcId' in account ? svcIds.has(account.svcId) : isOwn(account);
        const erased = [
          own.jobs.deleteWhere(({ job }) => 'firmId' in job && isOwn(job)),
          own.idempotency.deleteWhere(({ slot }) => isOwn(slot)),
          own.claims.deleteWhere(isOwn),
          own.offers.deleteWhere(isOwn),
          own.imports.deleteWhere(isOwn),
          own.webhooks.deleteWhere(({ endpoint }) => isOwn(endpoint)),
          own.webhookDeliveries.deleteWhere(isOwn),
          own.carriers.deleteWhere(isOwn),
          own.memberships.deleteWhere(isOwn),
          own.keys.deleteWhere(isOwn),
          own.sessions.deleteWhere(isOfAccount),
          own.devices.deleteWhere(isOfTestAccount),
          own.passkeys.deleteWhere(isOfAccount),
          own.staff.deleteWhere(isOwn),
          own.emailChanges.deleteWhere(isOfTestAccount),
          own.accounts.deleteWhere(({ adjuster }) => isTestAccount(adjuster)),
        ];
        return erased.reduce((sum, rows) => sum + rows);
      }),
  };
}
