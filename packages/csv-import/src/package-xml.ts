import { SaxesParser } from 'saxes';
import { markedEncoding, UnreadableCsv } from './decode.ts';
import type { Steps } from './steps.ts';
import { damaged, partName, readPart, type ZipFile } from './zip.ts';

/** By their names as written. They have no prototype. */
export type Attributes = Readonly<Record<string, string>>;

/** Names of elements are without a prefix, which programs choose. */
export interface XmlHandlers {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Far above those of spreadsheets. */
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 200;

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Whether there is such a part. A document type, which could define entities or name other files, is refused. */
export function* parsePart(zip: ZipFile, name: string, handlers: XmlHandlers): Steps<boolean> {
  const entry = zip.entries.get(partName(name));
  if (entry === undefined) return false;
  const parser = new SaxesParser();
  let attributes = 0;
  let depth = 0;
  parser.on('doctype', () => {
    throw new UnreadableCsv('The workbook has a document type (DTD), which no spreadsheet program writes.');
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) throw damaged('an element has too many attributes');
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw damaged('its elements are nested too deep');
    attributes = 0;
    handlers.open(local(tag.name), tag.attributes);
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    handlers.close?.(local(tag.name));
  });
  parser.on('text', (text) => handlers.text?.(text));
  parser.on('cdata', (text) => handlers.text?.(text));
  parser.on('error', () => {
    throw damaged('a part is not XML');
  });
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  const decode = (piece?: Uint8Array): string => {
    decoder ??= new TextDecoder(markedEncoding(piece ?? new Uint8Array()) ?? 'utf-8', { fatal: true });
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw damaged('a part is not Unicode');
    }
  };
  yield* readPart(zip, entry, (piece) => parser.write(decode(piece)));
  parser.write(decode());
  parser.close();
  return true;
}
