import {
  type ClaimImport,
  type Clock,
  type Difference,
  type FirmActor,
  type ImportOutcome,
  type ImportUseCases,
  toDateTime,
} from '@svc/application';
import {
  deskEndpoints,
  type ErrorCode,
  endpoints,
  type ImportClaimsBody,
  LIMITS,
  type SendClaimBody,
} from '@svc/contract';
import {
  type CellProblem,
  type CsvFile,
  columnsToRemember,
  fileOfRows,
  type ImportedRow,
  importCsvInSteps,
  inPieces,
  inSteps,
  readCsvInSteps,
  readWorkbookInSteps,
  UnknownHeaderRow,
  UnknownSheet,
  UnreadableCsv,
} from '@svc/csv-import';
import { checkPermission, HOUR, type Svcid, searchText } from '@svc/domain';
import { requestFingerprint } from '../pipeline/fingerprint.ts';
import { asHttpProblem, HttpProblem } from '../problems/http-problem.ts';
import { asciiJson } from '../serialization/ascii-json.ts';
import { claimFromWire } from '../serialization/claim.ts';
import type { Cursors } from '../serialization/cursor.ts';
import { deskReader, page, pageRequest } from './paging.ts';
import { jsonResponse, type Route, type RunLongWork, staffRoute } from './route.ts';

const importToWire = (one: ClaimImport) => ({
  id: one.id,
  name: one.name,
  file_name: one.fileName,
  environment: one.environment,
  columns: one.columns,
  total_rows: one.totalRows,
  next_row: one.nextRow,
});

const sentToWire = (one: ClaimImport) => ({
  ...importToWire(one),
  sent: one.sent,
  already_sent: one.alreadySent,
  failed: one.failed,
  created_at: toDateTime(one.createdAt),
  updated_at: toDateTime(one.updatedAt),
});

/** The same row has the same key in every run. */
function commandOf(claim: SendClaimBody) {
  const fingerprint = requestFingerprint(endpoints.sendClaim, {}, claim);
  return { idempotencyKey: `import-${fingerprint}`, fingerprint, ...claimFromWire(claim) };
}

/** Other requests are served between the steps. */
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Above those of texts: a claim has two of them with several thousand characters. */
const MAX_WORKBOOK_CHARACTERS = 4_000_000;
/** One step of the longest may take as long again. */
const PIECE_MS = 2;
const SOURCES = ['text', 'rows', 'workbook'] as const;

async function fileOf(body: ImportClaimsBody, longWork: RunLongWork): Promise<CsvFile> {
  const { text, rows, workbook, sheet, first_row: firstRow, header_row: headerRow } = body;
  const [source = 'text', ...others] = SOURCES.filter((one) => body[one] !== undefined);
  const invalid = (detail: string, at: string = source): HttpProblem =>
    new HttpProblem('validation_failed', { errors: [{ detail, pointer: `/${at}` }] });
  if (body[source] === undefined || others.length > 0)
    throw invalid('Send either text, rows or a workbook.', others[0]);
  if (sheet !== undefined && workbook === undefined) throw invalid('Only a workbook has sheets.', 'sheet');
  const { importRows: maxRows, importValues: maxCells, importWorkbookBytes: maxBytes } = LIMITS;
  const delimiter = workbook === undefined ? body.delimiter : 'tab';
  const options = { maxRows, maxCells, firstRow, headerRow, delimiter };
  try {
    if (rows !== undefined) return await inSteps(fileOfRows(rows, options), pause);
    if (workbook === undefined) return await inSteps(readCsvInSteps(text ?? '', options), pause);
    const bytes = Buffer.from(workbook, 'base64');
    const limits = { maxBytes, maxCharacters: MAX_WORKBOOK_CHARACTERS };
    return await longWork('workbook', async (nextPiece) => {
      await nextPiece();
      const read = await inPieces(readWorkbookInSteps(bytes, { sheet, ...limits }), PIECE_MS, nextPiece);
      return inPieces(readCsvInSteps(read.text, options), PIECE_MS, nextPiece);
    });
  } catch (error) {
    if (!(error instanceof UnreadableCsv)) throw error;
    if (error instanceof UnknownHeaderRow) throw invalid(error.message, 'header_row');
    throw invalid(error.message, error instanceof UnknownSheet ? 'sheet' : source);
  }
}

function adjustersByRow(adjusters: ImportClaimsBody['adjusters']): ReadonlyMap<number, string> | undefined {
  if (adjusters === undefined) return undefined;
  return new Map(Object.entries(adjusters).flatMap(([svcId, rows]) => rows.map((row) => [row, svcId])));
}

/** Where a day begins first. */
const LATEST_ZONE_MS = 14 * HOUR;

/** What has to be changed in the row. */
const FIELDS: Partial<Record<ErrorCode, string>> = {
  unknown_osaid: 'adjuster_svc_id',
  environment_mismatch: 'adjuster_svc_id',
  adjuster_not_in_firm: 'adjuster_svc_id',
  adjuster_not_accepting: 'adjuster_svc_id',
  duplicate_claim: 'claim_number',
};

interface RowProblem extends CellProblem {
  readonly code: ErrorCode | null;
}

/** Of a claim that has other content: whatever a claim of another carrier has in place of this row differs. */
const MAX_DIFFERENCES = 5;
const MAX_SHOWN = 80;

function differenceText({ existing }: Difference): string {
  if (existing === null) return 'The claim with this external_id exists, and has nothing here.';
  const value = existing.length > MAX_SHOWN ? `${existing.slice(0, MAX_SHOWN)}…` : existing;
  return `The claim with this external_id exists, and has ${value} here.`;
}

function problemsOf(sent: ImportOutcome | undefined, columns: ClaimImport['columns']): RowProblem[] {
  const problem = (field: string, detail: string, code: ErrorCode | null = null): RowProblem => {
    const column = Object.keys(columns).find((name) => columns[name] === field) ?? null;
    return { column, field, code, detail };
  };
  if (sent?.outcome === 'different') {
    const count = sent.differences.length;
    return [
      problem(
        'external_id',
        `Another claim has this external_id, or this claim was sent with other content (fields that differ: ${count}). It stays as it is.`,
      ),
      ...sent.differences.slice(0, MAX_DIFFERENCES).map((one) => problem(one.path, differenceText(one))),
    ];
  }
  if (sent?.outcome !== 'failed') return [];
  const { code, message } = asHttpProblem(sent.error);
  return [problem(FIELDS[code] ?? '', message, code)];
}

const OUTCOMES = {
  dry: { sent: 'valid', already_sent: 'already_sent', different: 'invalid', failed: 'invalid' },
  real: { sent: 'sent', already_sent: 'already_sent', different: 'failed', failed: 'failed' },
} as const;

function rowToWire(
  row: ImportedRow,
  sent: ImportOutcome | undefined,
  { dry_run: isDryRun, columns }: { readonly dry_run: boolean; readonly columns: ClaimImport['columns'] },
) {
  const outcome = isDryRun ? OUTCOMES.dry[sent?.outcome ?? 'sent'] : OUTCOMES.real[sent?.outcome ?? 'failed'];
  // One that needs an adjuster may have been sent with the adjuster of an earlier check.
  const isOwnProblem = 'problems' in row && sent?.outcome !== 'already_sent';
  const needing = isOwnProblem ? row.withoutAdjuster : undefined;
  return {
    row: row.row,
    external_id: row.externalId,
    outcome: isOwnProblem ? 'invalid' : outcome,
    claim_id: isOwnProblem || sent === undefined || sent.outcome === 'failed' ? null : sent.claimId,
    problems: isOwnProblem
      ? row.problems.map((problem) => ({ ...problem, code: null }))
      : problemsOf(sent, columns),
    needs_adjuster:
      needing === undefined
        ? null
        : {
            zip: needing.loss_location.zip,
            state: needing.loss_location.state,
            form_type: needing.policy.form_type ?? null,
          },
  };
}

/** Claims from the files of other systems. Only the name of a file and those of its columns are kept. */
export const deskImportRoutes = (
  use: ImportUseCases & { readonly clock: Clock; readonly cursors: Cursors },
): Route[] => {
  const { clock, cursors } = use;
  /** As they would fail now. */
  const checked = async (
    claims: readonly (SendClaimBody | undefined)[],
    actor: FirmActor,
  ): Promise<(ImportOutcome | undefined)[]> => {
    const existing = await use.checkExisting(
      actor,
      claims.map((claim) => claim && claimFromWire(claim)),
    );
    const adjusters = claims.map((claim) => claim?.adjuster_svc_id as Svcid | undefined);
    const named = adjusters.filter((svcId) => svcId !== undefined);
    const errors = await use.checkAdjusters(actor, named);
    return adjusters.map((svcId, n) => {
      const error = svcId && errors.get(svcId);
      return existing[n] ?? (error && { outcome: 'failed', error });
    });
  };
  /** Adjusters that are named as the desk shows them get their SVCID. */
  const withAdjusters = async (rows: readonly ImportedRow[], actor: FirmActor): Promise<ImportedRow[]> => {
    const named = rows.flatMap((row) => ('claim' in row ? [row.claim.adjuster_svc_id] : []));
    const names = named.filter((text) => /[\s@,]/.test(text)) as Svcid[];
    const errors = await use.checkAdjusters(actor, names);
    const unknown = new Set<string>(names.filter((name) => errors.get(name)?.code === 'unknown_svcid'));
    if (unknown.size === 0) return [...rows];
    const known = await use.adjustersByName(actor);
    return rows.map((row) => {
      if (!('claim' in row) || !unknown.has(row.claim.adjuster_svc_id)) return row;
      const { claim, ...rest } = row;
      const [svcId, ...others] = known.get(searchText(claim.adjuster_svc_id)) ?? [];
      if (svcId === undefined) return row;
      if (others.length === 0) return { ...rest, claim: { ...claim, adjuster_svc_id: svcId } };
      const detail = `Several adjusters have this name: ${[svcId, ...others].join(', ')}. Give the SVCID of one.`;
      return { ...rest, problems: [{ column: null, field: 'adjuster_svc_id', detail }] };
    });
  };
  return [
    staffRoute(deskEndpoints.importClaims, async ({ body }, { actorIn, staff, longWork }) => {
      const actor = actorIn(body.environment ?? 'live');
      if (!body.dry_run) checkPermission('claims:create', staff.role, staff.plan);
      const file = await fileOf(body, longWork);
      const fromRow = body.from_row ?? 0;
      const count = body.dry_run ? LIMITS.importCheckedRows : LIMITS.importSentRows;
      const read = await inSteps(
        importCsvInSteps(file, {
          columns: body.columns,
          remembered: body.columns ? undefined : await use.rememberedColumns(actor.firmId, body.name),
          values: body.values,
          adjusters: adjustersByRow(body.adjusters),
          dateOrder: body.date_order,
          today: new Date(clock.now() + LATEST_ZONE_MS).toISOString().slice(0, 10),
          isPart: body.first_row !== undefined,
          slice: { from: fromRow, count, problems: LIMITS.importProblems },
        }),
        pause,
      );
      const { columns } = read;
      const found = { ...read, rows: await withAdjusters(read.rows, actor) };
      const asked = new Set(found.problems.flatMap((problem) => problem.columns));
      const claims = found.rows.map((row) => ('claim' in row ? row.claim : undefined));
      const fieldOf = new Map(Object.entries(columns));
      const named = file.header.filter((column) => column !== '');
      const ofHeader = Object.fromEntries(named.map((column) => [column, fieldOf.get(column) ?? null]));
      const { name } = body;
      const started = await use.startImport(actor, {
        id: body.import_id,
        isDryRun: body.dry_run,
        name,
        fileName: body.file_name ?? null,
        columns: columnsToRemember(
          columns,
          file.header.filter((column) => !asked.has(column)),
        ),
        totalRows: file.rows.length + (body.first_row ?? 2) - 2,
      });
      const outcomes = body.dry_run
        ? await checked(claims, actor)
        : await use.sendImported(actor, {
            id: started.id,
            commands: claims.map((claim) => claim && commandOf(claim)),
            fromRow: found.rows[0]?.row ?? fromRow,
            untilRow: (found.rows.at(-1)?.row ?? fromRow) + 1,
            nextRow: found.nextRow,
          });
      const needing = await use.checkExisting(
        actor,
        found.rows.map((row) =>
          'problems' in row && row.withoutAdjuster ? claimFromWire(row.withoutAdjuster) : undefined,
        ),
      );
      return jsonResponse({
        ...importToWire(started),
        columns: ofHeader,
        next_row: found.nextRow,
        dry_run: body.dry_run,
        header: file.header,
        problems: found.problems,
        lines: file.lines,
        likely_header_row: file.likelyHeaderRow,
        rows: found.rows.map((row, n) =>
          rowToWire(row, outcomes[n] ?? needing[n], { dry_run: body.dry_run, columns: ofHeader }),
        ),
      });
    }),

    staffRoute(deskEndpoints.listImports, async ({ query }, { actor: { firmId } }) => {
      const { environment } = query;
      const scope = { list: 'imports', reader: deskReader(firmId), filters: { environment } };
      const found = await use.listImports(firmId, environment, pageRequest(query, cursors, scope));
      return page(found, (one) => asciiJson(sentToWire(one)), cursors, scope);
    }),

    staffRoute(deskEndpoints.getImport, async ({ params }, { actor }) =>
      jsonResponse(sentToWire(await use.readImport(actor.firmId, params.import_id))),
    ),
  ];
};
