import { strToU8, type Zippable, zipSync } from 'fflate';

/** XML of a cell but its place, or a text as an inline string. */
type Cell = string | { readonly xml: string };
type Parts = Readonly<Record<string, string | Uint8Array | undefined>>;

interface SheetOf {
  readonly name?: string;
  readonly state?: 'hidden' | 'veryHidden';
  readonly rows?: readonly (readonly Cell[])[];
  /** Instead of rows. */
  readonly xml?: string;
}

export interface WorkbookOf {
  readonly sheets: readonly SheetOf[];
  /** Of the styles from 1 on. */
  readonly formats?: readonly string[];
  readonly properties?: string;
  /** XML of `si` elements. */
  readonly shared?: string;
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"\r]/g, (one) => `&#${one.charCodeAt(0)};`);
const number = (value: number | string, style = 0): Cell => ({ xml: `<c s="${style}"><v>${value}</v></c>` });
const typed = (type: string, value: string): Cell => ({
  xml: `<c t="${type}"><v>${escaped(value)}</v></c>`,
});
export const cell = { number, typed, xml: (xml: string): Cell => ({ xml }) };

const NAMESPACES =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';
const relationships = (all: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all
    .map(([type, target], n) => `<Relationship Id="rId${n + 1}" Type="${TYPES}${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export const sheetXml = (rows: readonly (readonly Cell[])[]): string =>
  `<worksheet ${NAMESPACES}><sheetData>${rows
    .map(
      (cells) =>
        `<row>${cells.map((one) => (typeof one === 'string' ? `<c t="inlineStr"><is><t>${escaped(one)}</t></is></c>` : one.xml)).join('')}</row>`,
    )
    .join('')}</sheetData></worksheet>`;

/** The parts of a workbook, as few as Excel opens. */
export function partsOf({
  sheets,
  formats = [],
  properties = '',
  shared,
}: WorkbookOf): Readonly<Record<string, string | undefined>> {
  const names = sheets.map(
    ({ name, state }, n) =>
      `<sheet name="${escaped(name ?? `Sheet${n + 1}`)}" sheetId="${n + 1}" ${state ? `state="${state}"` : ''} r:id="rId${n + 1}"/>`,
  );
  return {
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<?xml version="1.0" encoding="UTF-8"?><workbook ${NAMESPACES}><workbookPr ${properties}/><sheets>${names.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map((_, n) => ['worksheet', `worksheets/sheet${n + 1}.xml`] as const),
      ['styles', 'styles.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': `<styleSheet ${NAMESPACES}><numFmts>${formats
      .map((code, n) => `<numFmt numFmtId="${200 + n}" formatCode="${escaped(code)}"/>`)
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, n) => `<xf numFmtId="${200 + n}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': shared === undefined ? undefined : `<sst ${NAMESPACES}>${shared}</sst>`,
    ...Object.fromEntries(
      sheets.map(({ rows = [], xml }, n) => [`xl/worksheets/sheet${n + 1}.xml`, xml ?? sheetXml(rows)]),
    ),
  };
}

export function zipped(parts: Parts, level: 0 | 6 = 6): Uint8Array {
  const files: Zippable = {};
  for (const [name, part] of Object.entries(parts))
    if (part !== undefined) files[name] = typeof part === 'string' ? strToU8(part) : part;
  return zipSync(files, { level });
}

export const workbookOf = (workbook: WorkbookOf): Uint8Array => zipped(partsOf(workbook));
