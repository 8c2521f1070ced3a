import {
  type ClaimFacts,
  type ClaimId,
  checkAddressee,
  DomainError,
  type FirmId,
  type Svcid,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { byFirm, importObject, recordAction } from '../audit/events.ts';
import type { IdempotentResult } from '../firm/execute-idempotently.ts';
import { duplicateClaim, type SendClaimCommand } from '../firm/send-claim.ts';
import type { BoardReads } from '../ports/board-reads.ts';
import type { Clock } from '../ports/clock.ts';
import type { FirmReads } from '../ports/firm-reads.ts';
import type { Ids } from '../ports/ids.ts';
import type { ClaimImport } from '../ports/imports.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
}

const noSuchImport = (): DomainError => new DomainError('not_found', 'No import of your firm has this id.');

export const makeReadImport =
  ({ uow }: Pick<Deps, 'uow'>) =>
  async (firmId: FirmId, id: string): Promise<ClaimImport> => {
    const found = await uow.run((tx) => tx.imports.lock(firmId, id));
    if (found === null) throw noSuchImport();
    return found;
  };

/** The columns of the last import with this name. */
export const makeRememberedColumns =
  ({ uow }: Pick<Deps, 'uow'>) =>
  async (firmId: FirmId, name: string): Promise<ClaimImport['columns']> =>
    (await uow.run((tx) => tx.imports.latestNamed(firmId, name)))?.columns ?? {};

interface ImportStart extends Pick<ClaimImport, 'name' | 'columns' | 'totalRows'> {
  /** Continues this one. */
  readonly id: string | undefined;
  /** Nothing will be sent. */
  readonly isDryRun?: boolean;
}

/** Starts an import, or remembers other columns of one. Each part of a large file may show more rows of it. */
export const makeStartImport =
  ({ uow, clock, ids }: Deps) =>
  (actor: FirmActor, { id, isDryRun = false, ...given }: ImportStart): Promise<ClaimImport> =>
    uow.run(async (tx) => {
      const { firmId, environment } = actor;
      const at = clock.now();
      const record = (importId: string) =>
        recordAction(tx, firmId, byFirm(actor), {
          at,
          action: isDryRun ? 'claims.check' : 'claims.import',
          object: importObject(importId),
        });
      if (id !== undefined) {
        const current = await tx.imports.lock(firmId, id);
        if (current === null) throw noSuchImport();
        // A file that was checked with test data is not sent to adjusters by mistake.
        if (current.environment !== environment)
          throw new DomainError(
            'import_environment_differs',
            `This import is for ${current.environment} claims. Leave out import_id to import into ${environment}.`,
          );
        const totalRows = Math.max(current.totalRows, given.totalRows);
        const changed = { ...current, ...given, totalRows, updatedAt: at };
        await tx.imports.save(changed);
        await record(id);
        return changed;
      }
      const counts = { sent: 0, alreadySent: 0, failed: 0 };
      const started = {
        ...given,
        ...counts,
        firmId,
        environment,
        id: ids.next(),
        createdAt: at,
        updatedAt: at,
      };
      const added = { ...started, nextRow: null, nextUncounted: 0 };
      await tx.imports.add(added);
      await record(added.id);
      return added;
    });

export type ImportOutcome =
  | { readonly outcome: 'sent' | 'already_sent'; readonly claimId: ClaimId; readonly isDifferent: boolean }
  | { readonly outcome: 'failed'; readonly error: DomainError };

interface ImportedRows {
  readonly id: string;
  /** Undefined: the row has a problem and is not sent. */
  readonly commands: readonly (SendClaimCommand | undefined)[];
  readonly fromRow: number;
  /** The row after these, whether or not the file has it. */
  readonly untilRow: number;
  readonly nextRow: number | null;
}

/** Any other error is one of the service. */
function asDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  throw error;
}

/** A file may need many, and other requests need connections too. */
const CONCURRENT_SENDS = 10;

/** Why claims cannot be offered to these adjusters now, for a check that sends nothing. */
export const makeCheckAdjusters =
  ({ uow, clock, firmReads }: Pick<Deps, 'uow' | 'clock'> & { readonly firmReads: FirmReads }) =>
  async (
    { firmId, environment }: FirmActor,
    named: readonly Svcid[],
  ): Promise<ReadonlyMap<Svcid, DomainError>> => {
    const found = new Map<Svcid, DomainError>();
    for (const svcId of new Set(named)) {
      const view = await firmReads.adjuster(firmId, svcId);
      const adjuster = view?.adjuster ?? (await uow.run((tx) => tx.adjusters.find(svcId)));
      const membership = view?.membership ?? null;
      try {
        checkAddressee({ adjuster, membership, firmId, environment, pendingOffers: 0, at: clock.now() });
      } catch (error) {
        found.set(svcId, asDomainError(error));
      }
    }
    return found;
  };

/** Which claims exist already, as sending them would find out. Contents are not compared. */
export const makeCheckExisting =
  ({ boardReads }: { readonly boardReads: Pick<BoardReads, 'claimsWithIds'> }) =>
  async (
    { firmId, environment }: FirmActor,
    sent: readonly (Pick<ClaimFacts, 'externalId' | 'claimNumber'> | undefined)[],
  ): Promise<readonly (ImportOutcome | undefined)[]> => {
    const ids = sent.filter((one) => one !== undefined);
    const found = await boardReads.claimsWithIds(firmId, environment, ids);
    const byExternalId = new Map(found.map(({ id, externalId }) => [externalId, id]));
    const open = found.filter(({ closedAt }) => closedAt === null);
    const byNumber = new Map(open.map(({ id, claimNumber }) => [claimNumber, id]));
    return sent.map((one) => {
      const claimId = one && byExternalId.get(one.externalId);
      if (claimId !== undefined) return { outcome: 'already_sent', claimId, isDifferent: false };
      const other = one && byNumber.get(one.claimNumber);
      return other && { outcome: 'failed', error: duplicateClaim({ id: other, by: 'claim_number' }) };
    });
  };

/** Sends rows of an import. Safe to repeat: their Idempotency-Keys are made of their contents. */
export const makeSendImported =
  (
    deps: Deps & {
      readonly firmReads: FirmReads;
      readonly sendClaim: (actor: FirmActor, command: SendClaimCommand) => Promise<IdempotentResult>;
    },
  ) =>
  async (
    actor: FirmActor,
    { id, commands, fromRow, untilRow, nextRow }: ImportedRows,
  ): Promise<readonly (ImportOutcome | undefined)[]> => {
    const { firmId, environment } = actor;
    const send = async (command: SendClaimCommand): Promise<ImportOutcome> => {
      try {
        const { claim, replayed } = await deps.sendClaim(actor, command);
        return { outcome: replayed ? 'already_sent' : 'sent', claimId: claim.id, isDifferent: false };
      } catch (thrown) {
        const error = asDomainError(thrown);
        return (await existing(error, command)) ?? { outcome: 'failed', error };
      }
    };
    /** The claim of an earlier request with the same external_id, whose Idempotency-Key is over or another one. */
    const existing = async (
      { existingClaimId }: DomainError,
      { facts, asSent }: SendClaimCommand,
    ): Promise<ImportOutcome | null> => {
      if (existingClaimId === undefined) return null;
      const claim = await deps.firmReads.claim(firmId, environment, existingClaimId as ClaimId);
      if (claim === null) return null;
      const content = JSON.parse(claim.asSent);
      if (content.external_id !== facts.externalId) return null;
      const isDifferent = JSON.stringify(content) !== JSON.stringify(JSON.parse(asSent));
      return { outcome: 'already_sent', claimId: claim.id, isDifferent };
    };
    const outcomes: (ImportOutcome | undefined)[] = [];
    for (let at = 0; at < commands.length; at += CONCURRENT_SENDS) {
      const together = commands.slice(at, at + CONCURRENT_SENDS);
      outcomes.push(...(await Promise.all(together.map((command) => command && send(command)))));
    }
    const count = (wanted: ImportOutcome['outcome']): number =>
      outcomes.filter((each) => (each?.outcome ?? 'failed') === wanted).length;
    await deps.uow.run(async (tx) => {
      const current = await tx.imports.lock(firmId, id);
      if (current === null) throw noSuchImport();
      // Rows that are sent again count once.
      if (fromRow < current.nextUncounted) return;
      await tx.imports.save({
        ...current,
        nextRow,
        nextUncounted: untilRow,
        sent: current.sent + count('sent'),
        alreadySent: current.alreadySent + count('already_sent'),
        failed: current.failed + count('failed'),
        updatedAt: deps.clock.now(),
      });
    });
    return outcomes;
  };
