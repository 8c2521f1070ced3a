import { MAX_CHARACTERS, rejectOtherFiles, UnreadableCsv } from './decode.ts';
import { type NumberFormat, numberFormat, shownNumber } from './number-formats.ts';
import { type Attributes, parsePart, type XmlHandlers } from './package-xml.ts';
import { MAX_COLUMNS } from './records.ts';
import type { Steps } from './steps.ts';
import { damaged, openZip, partName, type ZipFile } from './zip.ts';

export interface WorkbookOptions {
  /** By default the first one that is not hidden. */
  readonly sheet?: string | undefined;
  /** Unpacked; by default what a page or a command holds in memory. */
  readonly maxBytes?: number;
  readonly maxCharacters?: number;
}

export interface WorkbookText {
  /** The sheet as CSV with tabs: its rows have the numbers that Excel shows, so those without text are blank lines. */
  readonly text: string;
  readonly sheet: string;
  /** Those that can be read. */
  readonly sheets: readonly string[];
  /** Rows with text that Excel does not show, for example behind a filter; they are read like others. */
  readonly hiddenRows: number;
}

export class UnknownSheet extends UnreadableCsv {
  constructor(sheets: readonly string[]) {
    super(`The workbook has no sheet with this name. Its sheets: ${sheets.join(', ')}.`);
  }
}

/** A formula whose value the program that wrote the file has not stored: no text of a file begins like this. */
export const FORMULA_WITHOUT_VALUE = '=\ufffd';

const MAX_UNPACKED_BYTES = 200 * 2 ** 20;
const MAX_ROW = 1_048_576;
const MAX_COLUMN = 16_384;
/** A lone cell far below the others would make each row before it a blank line. */
const MAX_BLANK_ROWS = 20_000;
const MAX_SHARED_TEXTS = 2_000_000;
const MAX_STYLES = 65_536;
const MAX_SHEETS = 1000;

/** Reads one sheet of an Excel workbook (ECMA-376): stored values only. Formulas, macros, links and the rest are left alone. */
export function* readWorkbookInSteps(bytes: Uint8Array, options: WorkbookOptions): Steps<WorkbookText> {
  rejectOtherFiles(bytes);
  const zip = openZip(bytes, options.maxBytes ?? MAX_UNPACKED_BYTES);
  const main = yield* mainPart(zip);
  const { sheets, hasDatesSince1904 } = yield* sheetsOf(zip, main);
  const parts = yield* relationships(zip, main);
  const readable = sheets.filter(({ relationship }) => parts.get(relationship)?.type === 'worksheet');
  const names = readable.map(({ name }) => name);
  const wanted = options.sheet?.toLowerCase();
  const sheet =
    wanted === undefined
      ? (readable.find(({ isHidden }) => !isHidden) ?? readable[0])
      : (readable.find(({ name }) => name === options.sheet) ??
        readable.find(({ name }) => name.toLowerCase() === wanted));
  if (sheet === undefined)
    throw names.length === 0
      ? new UnreadableCsv('The workbook has no sheet with rows.')
      : new UnknownSheet(names);
  const partOf = (type: string): string | undefined =>
    [...parts.values()].find((one) => one.type === type)?.target;
  const formatOf = yield* formatsOf(zip, partOf('styles'));
  const shared = yield* sharedTexts(zip, partOf('sharedStrings'));
  const rows = sheetRows(options.maxCharacters ?? MAX_CHARACTERS);
  const textOf = (cell: StoredCell): string => {
    const { type, value, style } = cell;
    if (value === null) return FORMULA_WITHOUT_VALUE;
    if (type === 's') return shared[Number(value)] ?? missing();
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type === 'd') return value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
    if (type === 'str' || type === 'inlineStr') return unescaped(value);
    return shownNumber(value, formatOf(style), hasDatesSince1904);
  };
  const { target = '' } = parts.get(sheet.relationship) ?? {};
  const isFound = yield* parsePart(
    zip,
    target,
    sheetHandlers((cell) => rows.add(cell, textOf(cell))),
  );
  if (!isFound) throw damaged('its sheet is missing');
  return { ...(yield* rows.text()), sheet: sheet.name, sheets: names };
}

const missing = (): never => {
  throw damaged('a text is missing');
};

interface Relationship {
  /** The last part of its address, which strict and other workbooks share. */
  readonly type: string;
  readonly target: string;
}

/** The parts of the package that a part names, and no addresses outside of it. */
function* relationships(zip: ZipFile, part: string): Steps<ReadonlyMap<string, Relationship>> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const found = new Map<string, Relationship>();
  yield* parsePart(zip, `${folder}_rels/${part.slice(folder.length)}.rels`, {
    open: (name, attributes) => {
      if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
      const [type, target] = [attributes.Type ?? '', attributes.Target ?? ''];
      const path = target.startsWith('/') ? target : folder + target;
      const names: string[] = [];
      for (const one of path.split('/')) {
        if (one === '..') names.pop();
        else if (one !== '' && one !== '.') names.push(one);
      }
      found.set(attributes.Id ?? '', {
        type: type.slice(type.lastIndexOf('/') + 1),
        target: names.join('/'),
      });
    },
  });
  return found;
}

const OTHER_KINDS = [
  ['xl/workbook.bin', 'a binary Excel workbook (.xlsb)'],
  ['content.xml', 'an OpenDocument file (.ods)'],
  ['word/document.xml', 'a Word document'],
  ['index/document.iwa', 'a Numbers file'],
] as const;

function* mainPart(zip: ZipFile): Steps<string> {
  const [, otherKind] = OTHER_KINDS.find(([part]) => zip.entries.has(part)) ?? [];
  const roots = yield* relationships(zip, '');
  const { target = '' } = [...roots.values()].find(({ type }) => type === 'officeDocument') ?? {};
  if (otherKind === undefined && zip.entries.has(partName(target))) return target;
  throw new UnreadableCsv(
    `This is ${otherKind ?? 'a ZIP file without a workbook'}. Open it in your spreadsheet program, and save it as "Excel Workbook (.xlsx)".`,
  );
}

interface Sheet {
  readonly name: string;
  readonly relationship: string;
  readonly isHidden: boolean;
}

const isOn = (value: string | undefined): boolean => value === '1' || value === 'true' || value === 'on';

function* sheetsOf(
  zip: ZipFile,
  main: string,
): Steps<{ readonly sheets: readonly Sheet[]; readonly hasDatesSince1904: boolean }> {
  const sheets: Sheet[] = [];
  let hasDatesSince1904 = false;
  yield* parsePart(zip, main, {
    open: (name, attributes) => {
      if (name === 'workbookPr') hasDatesSince1904 = isOn(attributes.date1904);
      if (name !== 'sheet') return;
      if (sheets.length === MAX_SHEETS) throw damaged(`it has more than ${MAX_SHEETS} sheets`);
      sheets.push({
        name: attributes.name ?? '',
        relationship: Object.entries(attributes).find(([one]) => one.endsWith(':id'))?.[1] ?? '',
        isHidden: (attributes.state ?? 'visible') !== 'visible',
      });
    },
  });
  return { sheets, hasDatesSince1904 };
}

/** The format of a cell by the number of its style. */
function* formatsOf(zip: ZipFile, part: string | undefined): Steps<(style: number) => NumberFormat> {
  const codes = new Map<number, string>();
  const styles: number[] = [];
  let isOfCells = false;
  if (part !== undefined)
    yield* parsePart(zip, part, {
      open: (name, attributes) => {
        const id = Number(attributes.numFmtId ?? 0);
        if (name === 'cellXfs') isOfCells = true;
        else if (name === 'numFmt') codes.set(id, attributes.formatCode ?? '');
        else if (name === 'xf' && isOfCells) styles.push(id);
        if (styles.length > MAX_STYLES || codes.size > MAX_STYLES) throw damaged('it has too many formats');
      },
      close: (name) => {
        if (name === 'cellXfs') isOfCells = false;
      },
    });
  const known = new Map<number, NumberFormat>();
  return (style) => {
    const id = styles[style] ?? 0;
    const format = known.get(id) ?? numberFormat(id, codes);
    known.set(id, format);
    return format;
  };
}

/** Above Excel's limit, which counts an escaped character once. */
const MAX_TEXT = 100_000;

function longer(text: string, piece: string): string {
  if (text.length + piece.length > MAX_TEXT) throw damaged('a text is longer than a cell can be');
  return text + piece;
}

/** The texts of elements, in pieces with different fonts, without those that say how others are pronounced. */
function textCollector(): XmlHandlers & { readonly take: () => string } {
  let text = '';
  let isText = false;
  let isPhonetic = false;
  return {
    open: (name) => {
      if (name === 'rPh') isPhonetic = true;
      if (name === 't') isText = !isPhonetic;
    },
    close: (name) => {
      if (name === 'rPh') isPhonetic = false;
      if (name === 't') isText = false;
    },
    text: (piece) => {
      if (isText) text = longer(text, piece);
    },
    take: () => {
      const taken = text;
      text = '';
      return taken;
    },
  };
}

function* sharedTexts(zip: ZipFile, part: string | undefined): Steps<readonly string[]> {
  const texts: string[] = [];
  const { take, ...collector } = textCollector();
  if (part === undefined) return texts;
  yield* parsePart(zip, part, {
    ...collector,
    close: (name) => {
      collector.close?.(name);
      if (name !== 'si') return;
      if (texts.length === MAX_SHARED_TEXTS) throw damaged('it has too many texts');
      texts.push(unescaped(take()));
    },
  });
  return texts;
}

/** XML has no control characters, so workbooks write `_x000D_`. Half of a pair is no character. */
const unescaped = (text: string): string =>
  text
    .replace(/_x([\dA-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\p{Surrogate}|\0/gu, '\ufffd');

interface StoredCell {
  readonly row: number;
  readonly column: number;
  readonly isHidden: boolean;
  readonly type: string;
  readonly style: number;
  /** Null: a formula without one. */
  readonly value: string | null;
}

/** Takes the cells that have something. Those without a place are after the one before. */
function sheetHandlers(take: (cell: StoredCell) => void): XmlHandlers {
  let isData = false;
  let row = 0;
  let column = 0;
  let isHidden = false;
  let cell: Attributes | undefined;
  let hasFormula = false;
  let value = '';
  let isValue = false;
  const inline = textCollector();
  return {
    open: (name, attributes) => {
      if (name === 'sheetData') isData = true;
      if (!isData) return;
      if (name === 'row') {
        const before = row;
        row = Number(attributes.r ?? before + 1);
        if (!(Number.isInteger(row) && row > before && row <= MAX_ROW))
          throw damaged('its rows are not in order');
        column = 0;
        isHidden = isOn(attributes.hidden);
      } else if (name === 'c') {
        const before = column;
        const place = attributes.r;
        column = place === undefined ? before + 1 : columnOf(place, row);
        if (!(column > before && column <= MAX_COLUMN)) throw damaged('its cells are not in order');
        cell = attributes;
        hasFormula = false;
        value = '';
      } else if (name === 'f') hasFormula = true;
      else if (name === 'v') isValue = true;
      else inline.open(name, attributes);
    },
    text: (piece) => {
      if (isValue) value = longer(value, piece);
      else if (cell !== undefined) inline.text?.(piece);
    },
    close: (name) => {
      if (name === 'sheetData') isData = false;
      else if (name === 'v') isValue = false;
      else if (name === 'c' && cell !== undefined) {
        const type = cell.t ?? 'n';
        const stored = type === 'inlineStr' ? inline.take() : value;
        const isMissing = stored === '' && hasFormula && type !== 'str';
        if (stored !== '' || isMissing)
          take({
            row,
            column,
            isHidden,
            type,
            style: Number(cell.s ?? 0),
            value: isMissing ? null : stored,
          });
        cell = undefined;
      } else inline.close?.(name);
    },
  };
}

/** The number of the column of a place such as `AB12`; 0: it is none of this row. */
function columnOf(place: string, row: number): number {
  const [, letters = '', digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(place) ?? [];
  if (Number(digits) !== row) return 0;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

function lettersOf(column: number): string {
  const before = Math.floor((column - 1) / 26);
  return (before === 0 ? '' : lettersOf(before)) + String.fromCharCode(65 + ((column - 1) % 26));
}

const STEP_ROWS = 200;

/** Collects the cells of a sheet that have text. */
function sheetRows(maxCharacters: number) {
  const rows: { readonly row: number; readonly cells: string[] }[] = [];
  const hidden = new Set<number>();
  let [width, characters, blankRows] = [0, 0, 0];
  const check = (count: number): void => {
    if (count > maxCharacters)
      throw new UnreadableCsv(
        `The file has more than ${maxCharacters.toLocaleString('en-US')} characters: split it into several files.`,
      );
  };
  return {
    add({ row, column, isHidden }: StoredCell, text: string): void {
      if (text.trim() === '') return;
      if (column > MAX_COLUMNS)
        throw new UnreadableCsv(
          `The cell ${lettersOf(column)}${row} is behind the ${MAX_COLUMNS.toLocaleString('en-US')} columns that are read. Delete it.`,
        );
      let last = rows.at(-1);
      if (last?.row !== row) {
        blankRows += row - (last?.row ?? 0) - 1;
        if (blankRows > MAX_BLANK_ROWS)
          throw new UnreadableCsv(
            `Before row ${row}, more than ${MAX_BLANK_ROWS.toLocaleString('en-US')} rows are empty. Delete them.`,
          );
        last = { row, cells: [] };
        rows.push(last);
      }
      while (last.cells.length < column - 1) last.cells.push('');
      last.cells.push(text);
      if (isHidden) hidden.add(row);
      width = Math.max(width, column);
      characters += text.length;
      check(characters);
    },
    *text(): Steps<Pick<WorkbookText, 'text' | 'hiddenRows'>> {
      check(characters + rows.length * width);
      if (rows.length === 0) throw new UnreadableCsv('The sheet is empty.');
      const lines: string[] = [];
      for (const [n, { row, cells }] of rows.entries()) {
        if (n % STEP_ROWS === 0) yield undefined;
        while (lines.length < row - 1) lines.push('');
        lines.push(cells.map(tabSeparated).join('\t') + '\t'.repeat(width - cells.length));
      }
      return { text: lines.join('\r\n'), hiddenRows: hidden.size };
    },
  };
}

const tabSeparated = (text: string): string =>
  /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
