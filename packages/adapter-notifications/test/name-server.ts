import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';
import { atEnd } from '../../../tools/services/at-end.ts';
import { listening } from '../../../tools/services/local-server.ts';

/** Of one name: its addresses, and the names that it is an alias of. With `silence` among them, only for IPv4. */
export type Answer = readonly string[] | 'silence';

const A = 1;
const CNAME = 5;
const AAAA = 28;

const labels = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

function dataOf(value: string): { type: number; data: Buffer } {
  if (/^[\d.]+$/.test(value)) return { type: A, data: Buffer.from(value.split('.').map(Number)) };
  if (!value.includes(':')) return { type: CNAME, data: labels(value) };
  const [head = '', tail = ''] = value.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const [start, end] = [groups(head), groups(tail)];
  const all = [...start, ...Array(8 - start.length - end.length).fill(0), ...end];
  return { type: AAAA, data: Buffer.from(all.flatMap((group) => [group >> 8, group & 255])) };
}

/** A name server on UDP and TCP with these names; others do not exist. */
export async function startNameServer(answers: ReadonlyMap<string, Answer>) {
  const asked: string[] = [];
  function respond(query: Buffer, maxBytes: number): Buffer | null {
    let end = 12;
    const parts: string[] = [];
    for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
      parts.push(query.toString('latin1', end + 1, end + 1 + length));
      end += length + 1;
    }
    const name = parts.join('.').toLowerCase();
    const type = query.readUInt16BE(end + 1);
    asked.push(name);
    const answer = answers.get(name);
    if (answer === 'silence' || (type === AAAA && answer?.includes('silence'))) return null;
    const records = (answer ?? [])
      .filter((value) => value !== 'silence')
      .map(dataOf)
      .filter((record) => record.type === type || record.type === CNAME)
      .map((record) => {
        const header = Buffer.alloc(12);
        header.writeUInt16BE(0xc00c, 0);
        header.writeUInt16BE(record.type, 2);
        header.writeUInt16BE(1, 4);
        header.writeUInt32BE(60, 6);
        header.writeUInt16BE(record.data.length, 10);
        return Buffer.concat([header, record.data]);
      });
    const header = Buffer.from(query.subarray(0, 12));
    const body = Buffer.concat([query.subarray(12, end + 5), ...records]);
    const isTruncated = header.length + body.length > maxBytes;
    const code = answer === undefined ? 3 : 0;
    header.writeUInt16BE(0x8180 | (isTruncated ? 0x200 : 0) | code, 2);
    header.writeUInt16BE(isTruncated ? 0 : records.length, 6);
    header.writeUInt32BE(0, 8);
    return isTruncated ? Buffer.concat([header, query.subarray(12, end + 5)]) : Buffer.concat([header, body]);
  }

  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const size = received.readUInt16BE(0);
        const response = respond(received.subarray(2, 2 + size), 65_535);
        received = received.subarray(2 + size);
        if (response === null) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(response.length, 0);
        socket.write(Buffer.concat([length, response]));
      }
    });
  });
  const bound = (port: number): Promise<Socket | null> =>
    new Promise((resolve) => {
      const udp = createSocket('udp4', (query, from) => {
        const response = respond(query, 512);
        if (response !== null) udp.send(response, from.port, from.address);
      });
      udp.once('error', () => resolve(null));
      udp.bind(port, '127.0.0.1', () => resolve(udp));
    });
  let { port, stop } = await listening(tcp);
  let udp = await bound(port);
  // Another program has the same port on UDP.
  for (; udp === null; udp = await bound(port)) {
    await stop();
    ({ port, stop } = await listening(tcp));
  }
  const socket = udp;
  atEnd(() => socket.close());
  return {
    address: `127.0.0.1:${port}`,
    /** The name of each query. */
    asked,
  };
}
