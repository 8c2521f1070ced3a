import {
  type ClaimImport,
  type DeskImportUseCases,
  type FirmActor,
  type ImportOutcome,
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
  type ImportedRow,
  importCsv,
  quotedCsv,
  readCsv,
  suggestedColumns,
  UnreadableCsv,
} from '@svc/csv-import';
import { checkPermission, type Svcid } from '@svc/domain';
import { requestFingerprint } from '../pipeline/fingerprint.ts';
import { asHttpProblem, HttpProblem } from '../problems/http-problem.ts';
import { claimFromWire } from '../serialization/claim.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

const importToWire = (one: ClaimImport) => ({
  id: one.id,
  name: one.name,
  environment: one.environment,
  columns: one.columns,
  total_rows: one.totalRows,
  next_row: one.nextRow,
});

/** The same row has the same key in every run. */
function commandOf(claim: SendClaimBody) {
  const fingerprint = requestFingerprint(endpoints.sendClaim, {}, claim);
  return { idempotencyKey: `import-${fingerprint}`, fingerprint, ...claimFromWire(claim) };
}

function fileOf({ text, rows, delimiter, first_row: firstRow }: ImportClaimsBody): CsvFile {
  const invalid = (detail: string, pointer: string): HttpProblem =>
    new HttpProblem('validation_failed', { errors: [{ detail, pointer }] });
  const options = { maxRows: LIMITS.importRows, firstRow };
  if ((text === undefined) === (rows === undefined))
    throw invalid('Send either text or rows.', text === undefined ? '/text' : '/rows');
  try {
    return text === undefined
      ? readCsv(quotedCsv(rows ?? []), { ...options, delimiter: 'comma' })
      : readCsv(text, { ...options, delimiter });
  } catch (error) {
    if (!(error instanceof UnreadableCsv)) throw error;
    throw invalid(error.message, text === undefined ? '/rows' : '/text');
  }
}

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

function problemsOf(sent: ImportOutcome | undefined, columns: ClaimImport['columns']): RowProblem[] {
  const problem = (field: string, detail: string, code: ErrorCode | null = null): RowProblem[] => {
    const column = Object.keys(columns).find((name) => columns[name] === field) ?? null;
    return [{ column, field, code, detail }];
  };
  if (sent?.outcome !== 'failed')
    return sent?.isDifferent
      ? problem('external_id', 'The claim exists with other content, which this row has not changed.')
      : [];
  const { code, message } = asHttpProblem(sent.error);
  return problem(FIELDS[code] ?? '', message, code);
}

const DRY_OUTCOMES = { sent: 'valid', already_sent: 'already_sent', failed: 'invalid' } as const;

function rowToWire(
  row: ImportedRow,
  sent: ImportOutcome | undefined,
  { dry_run: isDryRun, columns }: { readonly dry_run: boolean; readonly columns: ClaimImport['columns'] },
) {
  return {
    row: row.row,
    external_id: row.externalId,
    outcome:
      'problems' in row
        ? 'invalid'
        : isDryRun
          ? DRY_OUTCOMES[sent?.outcome ?? 'sent']
          : (sent?.outcome ?? 'failed'),
    claim_id: sent === undefined || sent.outcome === 'failed' ? null : sent.claimId,
    problems:
      'problems' in row
        ? row.problems.map((problem) => ({ ...problem, code: null }))
        : problemsOf(sent, columns),
  };
}

/** Claims from the files of other systems. Only the name of a file and those of its columns are kept. */
export const deskImportRoutes = ({
  deskImportUseCases: use,
}: {
  readonly deskImportUseCases: DeskImportUseCases;
}): Route[] => {
  /** As they would fail now. */
  const checked = async (
    claims: readonly (SendClaimBody | undefined)[],
    actor: FirmActor,
  ): Promise<(ImportOutcome | undefined)[]> => {
    const existing = await use.checkExisting(
      actor,
      claims.map((claim) => claim && { externalId: claim.external_id, claimNumber: claim.claim_number }),
    );
    const adjusters = claims.map((claim) => claim?.adjuster_svc_id as Svcid | undefined);
    const named = adjusters.filter((svcId) => svcId !== undefined);
    const errors = await use.checkAdjusters(actor, named);
    return adjusters.map((svcId, n) => {
      const error = svcId && errors.get(svcId);
      return existing[n] ?? (error && { outcome: 'failed', error });
    });
  };
  return [
    staffRoute(deskEndpoints.importClaims, async ({ body }, { actorIn, staff }) => {
      const actor = actorIn(body.environment ?? 'live');
      if (!body.dry_run) checkPermission('claims:create', staff.role, staff.plan);
      const file = fileOf(body);
      const columns =
        body.columns ?? suggestedColumns(file.header, await use.rememberedColumns(actor.firmId, body.name));
      const fromRow = body.from_row ?? 0;
      const count = body.dry_run ? LIMITS.importCheckedRows : LIMITS.importSentRows;
      const found = importCsv(file, {
        columns,
        values: body.values,
        dateOrder: body.date_order,
        isPart: body.first_row !== undefined,
        slice: { from: fromRow, count, problems: LIMITS.importProblems },
      });
      const claims = found.rows.map((row) => ('claim' in row ? row.claim : undefined));
      const fieldOf = new Map(Object.entries(columns));
      const named = file.header.filter((column) => column !== '');
      const ofHeader = Object.fromEntries(named.map((column) => [column, fieldOf.get(column) ?? null]));
      const { name } = body;
      const started = await use.startImport(actor, {
        id: body.import_id,
        isDryRun: body.dry_run,
        name,
        columns: columnsToRemember(columns, file.header),
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
      return jsonResponse({
        ...importToWire(started),
        columns: ofHeader,
        next_row: found.nextRow,
        dry_run: body.dry_run,
        header: file.header,
        problems: found.problems,
        rows: found.rows.map((row, n) =>
          rowToWire(row, outcomes[n], { dry_run: body.dry_run, columns: ofHeader }),
        ),
      });
    }),

    staffRoute(deskEndpoints.getImport, async ({ params }, { actor }) => {
      const found = await use.readImport(actor.firmId, params.import_id);
      return jsonResponse({
        ...importToWire(found),
        sent: found.sent,
        already_sent: found.alreadySent,
        failed: found.failed,
        created_at: toDateTime(found.createdAt),
        updated_at: toDateTime(found.updatedAt),
      });
    }),
  ];
};
