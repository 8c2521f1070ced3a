import type { CarrierDetails, Claim, FirmId, Instant, StaffMember } from '@svc/domain';
import { changesBetween, recordFirmAction } from '../audit/events.ts';
import { GRANT_MAX_AGE_MS } from '../auth/api-key-authenticator.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { AuditRow } from '../model/audit.ts';
import type { Firm } from '../model/firm.ts';
import { inPages } from '../model/in-pages.ts';
import type { LoggedRequest } from '../model/logged-request.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { KeysetPosition } from '../model/page.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../model/webhook.ts';
import type { CarrierBookEntry } from '../ports/firm-data.ts';
import type { ClaimImport } from '../ports/imports.ts';
import type { Needs } from '../ports/needs.ts';
import type { StoredOffer } from '../ports/offer-history.ts';
import type { Tx } from '../ports/unit-of-work.ts';
import { lockFirm } from './existing.ts';
import { OperatorError } from './operator-error.ts';

type Deps = Needs<
  | 'uow'
  | 'operatorReads'
  | 'auditReads'
  | 'staffReads'
  | 'requestLog'
  | 'firmData'
  | 'webhookReads'
  | 'clock'
  | 'operator'
>;

export type ExportedRow =
  | { readonly type: 'firm'; readonly firm: Firm; readonly legalHoldSince: Instant | null }
  | { readonly type: 'key'; readonly key: ApiKey }
  | { readonly type: 'staff'; readonly staff: StaffMember }
  | { readonly type: 'member'; readonly member: AdjusterView }
  | { readonly type: 'carrier'; readonly carrier: CarrierDetails }
  | { readonly type: 'claim'; readonly claim: Claim }
  | { readonly type: 'offer'; readonly offer: StoredOffer }
  | { readonly type: 'import'; readonly import: ClaimImport }
  | { readonly type: 'webhook'; readonly webhook: WebhookEndpoint }
  | { readonly type: 'webhook_delivery'; readonly delivery: WebhookDelivery }
  | { readonly type: 'request'; readonly request: LoggedRequest }
  | { readonly type: 'audit'; readonly row: AuditRow };

const PAGE_ROWS = 500;

/** Everything that is stored for a firm. A row that changes during the export may be from before or after it. */
export const makeExportFirm = (deps: Deps & { readonly exportPageRows?: number }) =>
  async function* (id: FirmId): AsyncGenerator<ExportedRow> {
    const exportedFirm = await deps.uow.run(async (tx) => {
      const firm = await lockFirm(tx, id);
      await recordFirmAction(tx, deps, id, 'firm.export');
      return { firm, legalHoldSince: await tx.firms.legalHoldSince(id) };
    });
    const { firmData, exportPageRows = PAGE_ROWS } = deps;
    yield { type: 'firm', ...exportedFirm };
    for (const key of await deps.operatorReads.keys(id)) yield { type: 'key', key };
    for (const staff of await deps.staffReads.ofFirm(id)) yield { type: 'staff', staff };
    const members = inPages(
      (after) => firmData.members(id, after, exportPageRows),
      ({ membership }: AdjusterView) => membership.svcId,
    );
    for await (const { membership, adjuster } of members) {
      // These are the adjuster's own; a firm may see only whether it can offer claims to them.
      const { availability: _, credentials: __, ...account } = adjuster;
      yield { type: 'member', member: { membership, adjuster: account } };
    }
    const carriers = inPages(
      (after) => firmData.carriers(id, after, exportPageRows),
      ({ nameKey }: CarrierBookEntry) => nameKey,
    );
    for await (const { carrier } of carriers) yield { type: 'carrier', carrier };
    const claims = inPages(
      (after) => firmData.claims(id, after, exportPageRows),
      (claim: Claim) => claim.id,
    );
    for await (const claim of claims) yield { type: 'claim', claim };
    const offers = inPages(
      (after: StoredOffer | null) => firmData.offers(id, after, exportPageRows),
      (offer) => offer,
    );
    for await (const offer of offers) yield { type: 'offer', offer };
    const imports = inPages(
      (after) => firmData.imports(id, after, exportPageRows),
      ({ id }: ClaimImport) => id,
    );
    for await (const one of imports) yield { type: 'import', import: one };
    for (const webhook of await deps.webhookReads.endpoints(id)) {
      yield { type: 'webhook', webhook };
      const deliveries = inPages(
        (before: KeysetPosition | null) =>
          deps.webhookReads.deliveries(id, webhook.id, before, exportPageRows),
        (delivery) => ({ at: delivery.createdAt, id: delivery.id }),
      );
      for await (const delivery of deliveries) yield { type: 'webhook_delivery', delivery };
    }
    const requests = inPages(
      (after: LoggedRequest | null) => deps.requestLog.pageOf(id, after, exportPageRows),
      ([latest]) => latest,
    );
    for await (const batch of requests) for (const request of batch) yield { type: 'request', request };
    const trail = inPages(
      (after) => deps.auditReads.rows(id, { after: after ?? 0, limit: exportPageRows }),
      ({ seq }: AuditRow) => seq,
    );
    for await (const row of trail) yield { type: 'audit', row };
  };

const ERASED_FIRM_NAME = 'Erased firm';

/**
 * Deletes a firm's data except its id and its audit trail, which contains only ids and can still be verified. The firm
 * loses access at once. Safe to repeat after an interruption: the name is replaced last.
 */
export const makeEraseFirm =
  (deps: Deps & Needs<'pause'>) =>
  async (id: FirmId, confirmedName: string, onProgress: (rows: number) => void): Promise<number> => {
    const checkNoLegalHold = async (tx: Tx): Promise<void> => {
      if ((await tx.firms.legalHoldSince(id)) !== null)
        throw new OperatorError(`the firm ${id} is under legal hold; release it first`);
    };
    await deps.uow.run(async (tx) => {
      const firm = await lockFirm(tx, id);
      // The name of an erased firm is gone, so that repeating the command cannot confirm it.
      if (firm.erasure !== 'finished' && firm.name !== confirmedName)
        throw new OperatorError(`the name of the firm ${id} is not ${JSON.stringify(confirmedName)}`);
      await checkNoLegalHold(tx);
      if (firm.erasure !== null) return;
      await tx.firms.save({ ...firm, erasure: 'started' });
      await tx.firms.endAccess(id);
      await recordFirmAction(tx, deps, id, 'firm.erase', changesBetween({}, { erasure: 'started' }));
    });
    // Until then, other processes may accept requests with a key that they have cached.
    await deps.pause(GRANT_MAX_AGE_MS);
    let total = 0;
    let erased: number;
    do {
      // Checked before each batch: another operator may have set a legal hold since; at most one more batch is deleted.
      await deps.uow.run(checkNoLegalHold);
      erased = await deps.firmData.eraseBatch(id);
      total += erased;
      onProgress(total);
    } while (erased !== 0);
    await deps.uow.run(async (tx) => {
      const firm = await lockFirm(tx, id);
      if (firm.erasure === 'finished') return;
      await tx.firms.save({ ...firm, name: ERASED_FIRM_NAME, erasure: 'finished' });
      const changes = changesBetween({ erasure: firm.erasure }, { erasure: 'finished' });
      await recordFirmAction(tx, deps, id, 'firm.erase', changes);
    });
    return total;
  };

/** Under legal hold a firm cannot be erased, and retention deletes nothing of it. */
export const makeSetLegalHold =
  (deps: Deps) =>
  (id: FirmId, isHeld: boolean): Promise<Instant | null> =>
    deps.uow.run(async (tx) => {
      await lockFirm(tx, id);
      const current = await tx.firms.legalHoldSince(id);
      if (isHeld === (current !== null)) return current;
      const since = isHeld ? deps.clock.now() : null;
      await tx.firms.setLegalHold(id, since);
      await recordFirmAction(tx, deps, id, isHeld ? 'firm.hold' : 'firm.release');
      return since;
    });
