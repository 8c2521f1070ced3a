import { Inflate } from 'fflate';
import { HAS_PASSWORD, UnreadableCsv } from './decode.ts';
import type { Steps } from './steps.ts';

/** A part of a package (ECMA-376, part 2), as the directory of the ZIP file names it. */
interface ZipEntry {
  readonly isEncrypted: boolean;
  /** 0: stored. 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly offset: number;
}

export interface ZipFile {
  readonly bytes: Uint8Array;
  /** By name as packages compare them: without case. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Uncompressed bytes that may still be read of all parts, whatever they declare. */
  bytesLeft: number;
}

export const damaged = (what: string): UnreadableCsv =>
  new UnreadableCsv(`The workbook is damaged (${what}). Open it in Excel, and save it again.`);

/** A workbook has some dozens. */
const MAX_ENTRIES = 2000;
const END = 0x06054b50;
const END_BYTES = 22;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
/** In place of a size that is in an extra field (ZIP64), as some programs write it for any file. */
const SIZE_IN_EXTRA = 0xffffffff;
const MAX_COMMENT = 65_535;

export const partName = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

export function openZip(bytes: Uint8Array, maxBytes: number): ZipFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== END) {
    end -= 1;
    if (end < bytes.length - END_BYTES - MAX_COMMENT) break;
  }
  if (end < 0 || view.getUint32(end, true) !== END) throw damaged('its end is missing');
  const count = view.getUint16(end + 10, true);
  if (count > MAX_ENTRIES) throw damaged(`it has more than ${MAX_ENTRIES} parts`);
  const entries = new Map<string, ZipEntry>();
  let at = view.getUint32(end + 16, true);
  for (let n = 0; n < count; n += 1) {
    if (at + 46 > end || view.getUint32(at, true) !== DIRECTORY_ENTRY)
      throw damaged('its directory is wrong');
    const afterName = at + 46 + view.getUint16(at + 28, true);
    const afterExtra = afterName + view.getUint16(at + 30, true);
    const name = partName(new TextDecoder().decode(bytes.subarray(at + 46, afterName)));
    if (entries.has(name)) throw damaged('a part is in it twice');
    const [size, compressedSize, offset] = zip64(view, afterName, Math.min(afterExtra, end), [
      view.getUint32(at + 24, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 42, true),
    ]);
    entries.set(name, {
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      ...{ size, compressedSize, offset },
    });
    at = afterExtra + view.getUint16(at + 32, true);
  }
  return { bytes, entries, bytesLeft: maxBytes };
}

type Sizes = readonly [size: number, compressedSize: number, offset: number];

function zip64(view: DataView, from: number, end: number, sizes: Sizes): Sizes {
  for (let at = from; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    const read = (size: number): number => {
      if (size !== SIZE_IN_EXTRA || next + 8 > end) return size;
      next += 8;
      return Number(view.getBigUint64(next - 8, true));
    };
    const [size, compressedSize, offset] = sizes;
    return [read(size), read(compressedSize), read(offset)];
  }
  return sizes;
}

/** Of compressed data, which becomes at most a thousand times as much: a few milliseconds. */
const STEP_COMPRESSED_BYTES = 512;
/** Of data that is not compressed any more: less than a millisecond. */
const STEP_BYTES = 16_384;

/** Hands over a part piece by piece, and fails at the first byte more than allowed, or than it declares. */
export function* readPart(
  zip: ZipFile,
  entry: ZipEntry,
  take: (piece: Uint8Array) => void,
): Steps<undefined> {
  const { bytes } = zip;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (entry.isEncrypted) throw new UnreadableCsv(HAS_PASSWORD);
  if (entry.method !== 0 && entry.method !== 8) throw damaged('a part is compressed in another way');
  if (entry.offset + 30 > bytes.length || view.getUint32(entry.offset, true) !== LOCAL_HEADER)
    throw damaged('a part is not where it should be');
  const start =
    entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  const end = start + entry.compressedSize;
  if (end > bytes.length) throw damaged('it ends too early');
  let [size, crc] = [0, -1];
  function* handOver(piece: Uint8Array): Steps<undefined> {
    size += piece.length;
    zip.bytesLeft -= piece.length;
    if (zip.bytesLeft < 0)
      throw new UnreadableCsv('The workbook is too large once it is unpacked: split it into several files.');
    if (size > entry.size) throw damaged('a part is larger than it says');
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      const part = piece.subarray(at, at + STEP_BYTES);
      crc = nextCrc(crc, part);
      take(part);
      yield undefined;
    }
    return undefined;
  }
  if (entry.method === 0) yield* handOver(bytes.subarray(start, end));
  else {
    let pieces: Uint8Array[] = [];
    const inflate = new Inflate((piece) => pieces.push(piece));
    for (let at = start; at < end; at += STEP_COMPRESSED_BYTES) {
      const isLast = at + STEP_COMPRESSED_BYTES >= end;
      try {
        inflate.push(bytes.subarray(at, isLast ? end : at + STEP_COMPRESSED_BYTES), isLast);
      } catch {
        throw damaged('a part cannot be unpacked');
      }
      for (const piece of pieces) yield* handOver(piece);
      pieces = [];
    }
  }
  if (size !== entry.size || ~crc >>> 0 !== entry.crc) throw damaged('a part has a wrong checksum');
  return undefined;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function nextCrc(before: number, bytes: Uint8Array): number {
  let crc = before;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}
