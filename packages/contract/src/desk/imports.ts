import { DATE_ORDERS, DELIMITER_NAMES, ENVIRONMENTS } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { endpoint, named } from '../endpoint.ts';
import {
  base64,
  expected,
  fields,
  flag,
  integer,
  nonBlankText,
  oneOf,
  responseField,
  text,
  uuidParameter,
} from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { pageOf, pageParameters } from '../page.ts';
import { STAFF_REQUEST, staffRead, staffWrite, WITH_BODY } from '../requests.ts';
import { openEnum, responseObject } from '../response-schema.ts';
import { environmentQuery } from './board.ts';

const ID = '01980a5e-9b1c-7d2e-8f3a-4b5c6d7e8f91';
const CLAIM_ID = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';
const COLUMNS = { 'Claim #': 'claim_number', 'Agent Code': null };

const columnName = () =>
  text(LIMITS.importColumn, { description: 'Name of a column, as in the header.', example: 'Claim #' });
const importId = { description: 'Id of the import.', example: ID };

/** The first that is none; null: none is, or they are no array. */
function wrongRow(sent: unknown): number | null {
  if (!Array.isArray(sent)) return null;
  const at = (sent as unknown[]).findIndex(
    (row) => !Array.isArray(row) || !(row as unknown[]).every((cell) => typeof cell === 'string'),
  );
  return at === -1 ? null : at;
}

export const importClaimsBody = fields({
  name: nonBlankText(LIMITS.importName, {
    description: 'Your name for files of this kind. The columns are remembered under it.',
    example: 'Monday export',
  }),
  environment: oneOf(ENVIRONMENTS, {
    id: 'ImportEnvironment',
    description: 'Where the claims are sent; live by default.',
    example: 'live',
  }).optional(),
  dry_run: flag({
    description:
      "Whether the rows are only checked. An adjuster's own limit of open offers is counted when a claim is sent.",
    example: true,
  }),
  text: text(LIMITS.importText, {
    description: `The file: CSV with commas, semicolons, tabs or pipes, and at most ${LIMITS.importRows} rows and ${LIMITS.importValues} cells.`,
    example: 'Claim #,Agent Code\nFL26-0093184,A-20417\n',
  }).optional(),
  file_name: nonBlankText(LIMITS.importFileName, {
    description: 'Name of the file, for the list of imports.',
    example: 'export 2026-08-31.csv',
  }).optional(),
  header_row: integer(LIMITS.importRow, {
    description:
      'The row of the header, with titles above it. By default the first row with text; if a later one looks like the header, that is a problem. Rows have their numbers in the whole file.',
    example: 4,
  }).optional(),
  rows: z
    // One error for all: each would take longer than a row.
    .preprocess(
      (sent, context) => {
        const wrong = wrongRow(sent);
        if (wrong !== null)
          context.issues.push({
            code: 'custom',
            message: 'Must be an array of strings.',
            input: sent,
            path: [wrong],
          });
        return sent;
      },
      z.array(z.array(z.string()), expected('an array of rows')),
    )
    .meta({
      description: `The rows instead of a text, the header first; at most ${LIMITS.importValues} cells.`,
      example: [
        ['Claim #', 'Agent Code'],
        ['FL26-0093184', 'A-20417'],
      ],
    })
    .optional(),
  workbook: base64(LIMITS.importText, {
    description: `The file instead of a text: an Excel workbook (\`.xlsx\`, \`.xlsm\`) in base64, at most ${LIMITS.importWorkbookBytes / 2 ** 20} MB unpacked. Dates and numbers are read as they are stored, formulas as their stored values; macros and links are ignored. Hidden rows are read.`,
    example: 'UEsDBBQAAAAIAA==',
  }).optional(),
  sheet: nonBlankText(LIMITS.importSheet, {
    description: 'The sheet of the workbook. By default the first one that is not hidden.',
    example: 'Claims',
  }).optional(),
  columns: z
    .record(columnName(), z.string(expected('a field, or null')).nullable(), {
      error: (issue) =>
        issue.code === 'invalid_key'
          ? `The name of a column has at most ${LIMITS.importColumn.max} characters.`
          : expected('an object').error(issue),
    })
    .meta({
      id: 'ImportColumnsInput',
      description:
        'The field of each column by its name in the header, such as `loss_location.zip`; null leaves it out, as does no entry. `policyholder.last_first_name` is for whole names such as `REYES, ANA`. By default those of the last import with this name, and the others that are known by name; where two columns may have a field, that is a problem.',
      example: COLUMNS,
    })
    .optional(),
  values: z
    .record(z.string(), z.string(expected('a string')), expected('an object'))
    .meta({
      id: 'ImportValuesInput',
      description: 'Fields that are the same in all rows.',
      example: { 'carrier.name': 'Palmetto Mutual Insurance' },
    })
    .optional(),
  adjusters: z
    .record(
      z.string(),
      z.array(
        integer(LIMITS.importRow, { description: 'Number of a row.', example: 2 }),
        expected('an array'),
      ),
      expected('an object'),
    )
    .meta({
      id: 'ImportAdjustersInput',
      description:
        'For rows without an adjuster: the numbers of the rows by SVCID. With it, also an empty one, no column needs to have the adjuster. A row that has one keeps it.',
      example: { 'SVC-7F3K-Delacroix': [2, 5] },
    })
    .optional(),
  date_order: oneOf(DATE_ORDERS, {
    id: 'ImportDateOrder',
    description: 'Order of dates such as 8/9/2026. By default what each column shows.',
    example: 'mdy',
  }).optional(),
  delimiter: oneOf(DELIMITER_NAMES, {
    id: 'ImportDelimiter',
    description:
      'What separates the cells of `text`. By default recognized, also from a first line such as `sep=;`.',
    example: 'semicolon',
  }).optional(),
  import_id: z
    .uuid(expected('the id of an import'))
    .meta({
      ...importId,
      description: 'Continues an import in the same environment: with the same file, or the next part of it.',
    })
    .optional(),
  first_row: integer(LIMITS.importRow, {
    description:
      'Of a part of a larger file, with the header again: the number of its first row in the whole file. Dates whose order is not certain then need a `date_order`.',
    example: 2002,
  }).optional(),
  from_row: integer(LIMITS.importRow, {
    description: 'The row to continue with: next_row of the response before.',
    example: 2,
  }).optional(),
}).meta({ id: 'ImportClaimsRequest', description: 'A file of claims: as text, rows or a workbook.' });
export type ImportClaimsBody = z.output<typeof importClaimsBody>;

const columnsUsed = z.record(z.string(), z.string().nullable()).meta({
  id: 'ImportColumns',
  description: 'The field of each column; null: it is left out.',
  example: COLUMNS,
});

const importState = {
  id: responseField.uuid('Id of the import.', ID),
  name: responseField.text('Its name.', 'Monday export'),
  file_name: responseField
    .text('Name of the file; null: it was not sent.', 'export 2026-08-31.csv')
    .nullable(),
  environment: openEnum(ENVIRONMENTS, { description: 'Where the claims are sent.', example: 'live' }),
  columns: columnsUsed,
  total_rows: responseField.integer('Rows with claims in the file.', 1),
  next_row: responseField
    .integer(
      'The row to continue with in the next request; null: every row of the file, or of this part, was read.',
      52,
    )
    .nullable(),
};

const problem = {
  column: responseField.text('The column; null: none.', 'Zip').nullable(),
  detail: responseField.text('What is wrong, and what is allowed.', 'Must be a ZIP code of five digits.'),
};
const EXAMPLE_PROBLEM = {
  column: 'Zip',
  field: 'loss_location.zip',
  code: null,
  detail: 'Must be a ZIP code of five digits.',
};

export const importResultSchema = responseObject({
  ...importState,
  dry_run: responseField.flag('Whether the rows were only checked.', true),
  header: z
    .array(z.string())
    .meta({ description: 'The columns of the file.', example: ['Claim #', 'Agent Code'] }),
  problems: z
    .array(
      responseObject({
        ...problem,
        columns: z.array(z.string()).meta({
          description: 'Columns of a question: which of them has the field. Empty: the problem is none.',
          example: [],
        }),
        fields: z.array(z.string()).meta({
          description: 'Fields of a question: which of them the column has. Empty: the problem is none.',
          example: [],
        }),
      }).meta({
        id: 'ImportProblem',
        description: 'A problem of the file, or a question to answer with `columns`.',
      }),
    )
    .meta({ description: 'Problems of the file as a whole: with any, no row is read.', example: [] }),
  lines: responseField.integer(
    'Lines with text after the header, of the file or of this part: as many as rows, unless cells have line breaks.',
    1,
  ),
  likely_header_row: responseField
    .integer('A row that looks like the header, as the one that was read does not; null: none.', 4)
    .nullable(),
  rows: z
    .array(
      responseObject({
        row: responseField.integer('Number of the row, as in a spreadsheet.', 2),
        external_id: responseField.text('The external_id; null: it has none.', 'CMS-2026-004417').nullable(),
        outcome: openEnum(['valid', 'invalid', 'sent', 'already_sent', 'failed'], {
          description:
            'invalid: not sent, or in a dry run would not be. already_sent: the claim exists with this content, from this file or another request. A row that needs an adjuster is already_sent, too, if its claim exists. A claim that exists with other content stays as it is: in a dry run the row is invalid, and otherwise failed, with a problem for each of its first fields that differ.',
          example: 'invalid',
        }),
        claim_id: responseField
          .uuid('Id of the claim, or of the one that exists with other content; null: none.', CLAIM_ID)
          .nullable(),
        problems: z
          .array(
            responseObject({
              ...problem,
              field: responseField.text('The field of the claim; empty: none.', 'loss_location.zip'),
              code: responseField
                .text(
                  'Of the error that sending the row meets; null: the row itself is wrong.',
                  'unknown_osaid',
                )
                .nullable(),
            }).meta({ id: 'ImportCellProblem', description: 'A problem of a row.' }),
          )
          .meta({ description: 'What is wrong.', example: [EXAMPLE_PROBLEM] }),
        needs_adjuster: responseObject({
          zip: responseField.text('ZIP code of the loss location.', '33931'),
          state: responseField.text('State of the loss location.', 'FL'),
          form_type: responseField.text('Form of the policy; null: it has none.', 'dwelling').nullable(),
        })
          .meta({
            id: 'ImportNeedsAdjuster',
            description: 'Of a row that has no adjuster and no other problem; null: it is none.',
          })
          .nullable(),
      }).meta({ id: 'ImportRow', description: 'A row that was read by this request.' }),
    )
    .meta({ description: 'The rows that were read by this request.', example: [] }),
}).meta({ id: 'ImportResult', description: 'What became of the rows that this request has read.' });
export type ImportResult = z.output<typeof importResultSchema>;

export const importSchema = responseObject({
  ...importState,
  sent: responseField.integer('Claims that were sent.', 1),
  already_sent: responseField.integer('Claims that existed.', 0),
  failed: responseField.integer('Rows that were not sent.', 0),
  created_at: responseField.dateTime('When it was started.', '2026-08-29T14:52:07.113Z'),
  updated_at: responseField.dateTime('When it was last continued.', '2026-08-29T14:52:31.540Z'),
}).meta({ id: 'Import', description: 'An import, without its rows.' });
export type Import = z.output<typeof importSchema>;

export const importEndpoints = named({
  importClaims: endpoint({
    ...staffWrite('imports:write'),
    method: 'POST',
    path: '/firm/v1/imports',
    audit: 'claims.import',
    summary: 'Import claims from a CSV file or an Excel workbook',
    description: `Checks ${LIMITS.importCheckedRows} rows of the file, or sends ${LIMITS.importSentRows}, and fewer where rows have many problems; repeat it with next_row until that is null. Safe to repeat: a claim that exists is not sent twice.`,
    body: importClaimsBody,
    bodyValues: LIMITS.importValues,
    pointers: { import_environment_differs: '/import_id' },
    success: { status: 200, schema: importResultSchema, description: 'The rows that were read.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'not_found'],
    example: {
      body: {
        name: 'Monday export',
        environment: 'live',
        dry_run: true,
        text: 'Claim #,Agent Code\nFL26-0093184,A-20417\n',
        columns: COLUMNS,
      },
    },
  }),
  listImports: endpoint({
    ...staffRead('imports:read'),
    method: 'GET',
    path: '/firm/v1/imports',
    audit: 'imports.read',
    summary: 'List imports',
    description: 'Imports that have sent rows, the latest first. Kept for 90 days.',
    query: fields({ ...environmentQuery.shape, ...pageParameters() }),
    success: {
      status: 200,
      schema: pageOf('ImportPage', importSchema),
      description: 'The imports.',
    },
    problems: [...STAFF_REQUEST],
  }),
  getImport: endpoint({
    ...staffRead('imports:read'),
    method: 'GET',
    path: '/firm/v1/imports/{import_id}',
    audit: 'imports.read',
    summary: 'Get an import',
    description: 'How far an import has come. Kept for 90 days.',
    params: fields({ import_id: uuidParameter(importId) }),
    success: { status: 200, schema: importSchema, description: 'The import.' },
    problems: [...STAFF_REQUEST, 'not_found'],
  }),
});
