import {
  type ClaimId,
  checkAddressee,
  contactForFirm,
  DomainError,
  type Environment,
  existing,
  type FirmId,
  type Svcid,
  searchText,
} from '@svc/domain';
import type { FirmActor } from '../actors.ts';
import { byFirm, importObject, recordAction } from '../audit/events.ts';
import type { IdempotentResult } from '../firm/execute-idempotently.ts';
import { duplicateClaim, type SendClaimCommand } from '../firm/send-claim.ts';
import type { AdjusterView } from '../model/member-views.ts';
import type { KeysetPosition, Page, PageRequest } from '../model/page.ts';
import { toPage } from '../model/page-size.ts';
import type { FirmReads } from '../ports/firm-reads.ts';
import type { ClaimImport } from '../ports/imports.ts';
import type { Needs } from '../ports/needs.ts';

type Deps = Needs<'uow' | 'clock' | 'ids'>;

const NO_IMPORT = 'No import of your firm has this id.';

export const makeReadImport =
  ({ uow }: Pick<Deps, 'uow'>) =>
  async (firmId: FirmId, id: string): Promise<ClaimImport> =>
    existing(await uow.run((tx) => tx.imports.lock(firmId, id)), NO_IMPORT);

/** The columns of the last import with this name. */
export const makeRememberedColumns =
  ({ uow }: Pick<Deps, 'uow'>) =>
  async (firmId: FirmId, name: string): Promise<ClaimImport['columns']> =>
    (await uow.run((tx) => tx.imports.latestNamed(firmId, name)))?.columns ?? {};

/** A page of the imports that have sent rows, the latest first. */
export const makeListImports =
  ({ uow }: Pick<Deps, 'uow'>) =>
  async (firmId: FirmId, environment: Environment, page: PageRequest): Promise<Page<ClaimImport>> => {
    const { after, limit } = page;
    const found = await uow.run((tx) => tx.imports.sent(firmId, environment, after?.id ?? null, limit + 1));
    return toPage(found, page, ({ createdAt, id }) => ({ at: createdAt, id }));
  };

interface ImportStart extends Pick<ClaimImport, 'name' | 'fileName' | 'columns' | 'totalRows'> {
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
        const current = existing(await tx.imports.lock(firmId, id), NO_IMPORT);
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
      const added = {
        ...{ ...given, firmId, environment, id: ids.next(), createdAt: at, updatedAt: at },
        ...{ sent: 0, alreadySent: 0, failed: 0, nextRow: null, nextUncounted: 0 },
      };
      await tx.imports.add(added);
      await record(added.id);
      return added;
    });

/** What the claim that exists has instead, as JSON; null: nothing. */
export interface Difference {
  /** Such as `policyholder.phone`. */
  readonly path: string;
  readonly existing: string | null;
}

/** `different`: a claim with this external_id exists, and has other content. */
export type ImportOutcome =
  | { readonly outcome: 'sent' | 'already_sent'; readonly claimId: ClaimId }
  | { readonly outcome: 'different'; readonly claimId: ClaimId; readonly differences: readonly Difference[] }
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
const CONCURRENT_REQUESTS = 10;

/** Why claims cannot be offered to these adjusters now, for a check that sends nothing. */
export const makeCheckAdjusters =
  ({ uow, clock, firmReads }: Pick<Deps, 'uow' | 'clock'> & Needs<'firmReads'>) =>
  async (
    { firmId, environment }: FirmActor,
    named: readonly Svcid[],
  ): Promise<ReadonlyMap<Svcid, DomainError>> => {
    const found = new Map<Svcid, DomainError>();
    for (const svcId of new Set(named)) {
      const view = await firmReads.adjuster(firmId, svcId);
      // What a firm reads of an adjuster is without their availability.
      const adjuster = await uow.run((tx) => tx.adjusters.find(svcId));
      const membership = view?.membership ?? null;
      try {
        checkAddressee({ adjuster, membership, firmId, environment, pendingOffers: 0, at: clock.now() });
      } catch (error) {
        found.set(svcId, asDomainError(error));
      }
    }
    return found;
  };

type Content = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In the order of the row; what only the existing claim has comes last. The order of members is no difference. */
export function differencesBetween(existing: Content, sent: Content, above = ''): Difference[] {
  const names = [...new Set([...Object.keys(sent), ...Object.keys(existing)])];
  return names.flatMap((name) => {
    const path = above + name;
    const [one, other] = [existing[name], sent[name]];
    if (isObject(one) || isObject(other))
      return differencesBetween(isObject(one) ? one : {}, isObject(other) ? other : {}, `${path}.`);
    const before = JSON.stringify(one);
    return before === JSON.stringify(other) ? [] : [{ path, existing: before ?? null }];
  });
}

/** The claim with this id, if it has the external_id of what is sent. */
async function existingClaim(
  firmReads: Pick<FirmReads, 'claim'>,
  { firmId, environment }: FirmActor,
  id: ClaimId,
  { facts, asSent }: Pick<SendClaimCommand, 'facts' | 'asSent'>,
): Promise<ImportOutcome | null> {
  const claim = await firmReads.claim(firmId, environment, id);
  if (claim === null) return null;
  const content = JSON.parse(claim.asSent) as Content;
  if (content.external_id !== facts.externalId) return null;
  const differences = differencesBetween(content, JSON.parse(asSent) as Content);
  return differences.length === 0
    ? { outcome: 'already_sent', claimId: claim.id }
    : { outcome: 'different', claimId: claim.id, differences };
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += CONCURRENT_REQUESTS)
    results.push(...(await Promise.all(items.slice(at, at + CONCURRENT_REQUESTS).map(run))));
  return results;
}

/** Adjusters of the firm by name, in either order, and by email: texts as searches compare them. */
export const makeAdjustersByName =
  ({ firmReads }: Needs<'firmReads'>) =>
  async ({ firmId, environment }: FirmActor): Promise<ReadonlyMap<string, readonly Svcid[]>> => {
    const found = new Map<string, Set<Svcid>>();
    let after: KeysetPosition | null = null;
    do {
      const page: Page<AdjusterView> = await firmReads.adjusters(firmId, environment, { after, limit: 200 });
      for (const { membership, adjuster } of page.rows) {
        const { name, email } = contactForFirm(membership, adjuster);
        const reversed = name && `${adjuster.lastName}, ${adjuster.firstName}`;
        for (const text of [name, reversed, email]) {
          if (!text) continue;
          const key = searchText(text);
          found.set(key, (found.get(key) ?? new Set()).add(adjuster.svcId));
        }
      }
      after = page.next;
    } while (after !== null);
    return new Map([...found].map(([key, svcIds]) => [key, [...svcIds]]));
  };

/** Which claims exist already, and with which content, as sending them would find out. */
export const makeCheckExisting =
  ({ boardReads, firmReads }: Needs<'boardReads' | 'firmReads'>) =>
  async (
    actor: FirmActor,
    sent: readonly (Pick<SendClaimCommand, 'facts' | 'asSent'> | undefined)[],
  ): Promise<readonly (ImportOutcome | undefined)[]> => {
    const { firmId, environment } = actor;
    const ids = sent.flatMap((one) => one?.facts ?? []);
    if (ids.length === 0) return [];
    const found = await boardReads.claimsWithIds(firmId, environment, ids);
    const byExternalId = new Map(found.map(({ id, externalId }) => [externalId, id]));
    const open = found.filter(({ closedAt }) => closedAt === null);
    const byNumber = new Map(open.map(({ id, claimNumber }) => [claimNumber, id]));
    return inGroups(sent, async (one) => {
      if (one === undefined) return undefined;
      const claimId = byExternalId.get(one.facts.externalId);
      const existing = claimId && (await existingClaim(firmReads, actor, claimId, one));
      if (existing) return existing;
      const other = byNumber.get(one.facts.claimNumber);
      return other && { outcome: 'failed', error: duplicateClaim({ id: other, by: 'claim_number' }) };
    });
  };

/** Sends rows of an import. Safe to repeat: their Idempotency-Keys are made of their contents. */
export const makeSendImported =
  (
    deps: Deps &
      Needs<'firmReads'> & {
        readonly sendClaim: (actor: FirmActor, command: SendClaimCommand) => Promise<IdempotentResult>;
      },
  ) =>
  async (
    actor: FirmActor,
    { id, commands, fromRow, untilRow, nextRow }: ImportedRows,
  ): Promise<readonly (ImportOutcome | undefined)[]> => {
    const { firmId } = actor;
    const send = async (command: SendClaimCommand): Promise<ImportOutcome> => {
      try {
        const { claim, replayed } = await deps.sendClaim(actor, command);
        return { outcome: replayed ? 'already_sent' : 'sent', claimId: claim.id };
      } catch (thrown) {
        const error = asDomainError(thrown);
        // Of an earlier request, whose Idempotency-Key is over or another one.
        const id = error.existingClaimId as ClaimId | undefined;
        const earlier = id && (await existingClaim(deps.firmReads, actor, id, command));
        return earlier || { outcome: 'failed', error };
      }
    };
    const outcomes = await inGroups(commands, async (command) => command && send(command));
    const count = (...wanted: ImportOutcome['outcome'][]): number =>
      outcomes.filter((each) => wanted.includes(each?.outcome ?? 'failed')).length;
    await deps.uow.run(async (tx) => {
      const current = existing(await tx.imports.lock(firmId, id), NO_IMPORT);
      // Rows that are sent again count once.
      if (fromRow < current.nextUncounted) return;
      await tx.imports.save({
        ...current,
        nextRow,
        nextUncounted: untilRow,
        sent: current.sent + count('sent'),
        alreadySent: current.alreadySent + count('already_sent'),
        failed: current.failed + count('failed', 'different'),
        updatedAt: deps.clock.now(),
      });
    });
    return outcomes;
  };
