/** Signed LEB128: small numbers take one byte. */
export function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return;
  }
}

export function numberReader(bytes: Uint8Array): () => number {
  let at = 0;
  return () => {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) === 0) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value;
    }
  };
}
