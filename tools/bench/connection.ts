import { connect, type Socket } from 'node:net';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const READ_BYTES = 256 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/**
 * A keep-alive connection with one request at a time. It shares the processors with what it measures, so it reads a
 * response only as far as its status and its end: a third of the processor time of undici.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  #head = '';
  #status = 0;
  /** Where the body of a response ends: after these bytes, or with the last chunk. */
  #bodyEnd: { leftBytes: number } | 'last chunk' | null = null;
  #pending: { resolve(status: number): void; reject(error: Error): void } | null = null;

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.#host = host;
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (count, buffer) => {
          this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('The server closed the connection.')));
  }

  /** @returns the status, once the whole response has arrived. */
  request({ method, path, headers, body = '' }: BenchRequest): Promise<number> {
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (method === 'POST') head += `content-length: ${Buffer.byteLength(body)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#socket.write(`${head}\r\n${body}`);
    });
  }

  close(): void {
    this.#pending = null;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    let body = bytes;
    if (this.#bodyEnd === null) {
      const end = bytes.indexOf(END_OF_HEAD);
      this.#head += bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
      if (end === -1) return;
      this.#status = Number(this.#head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1];
      this.#bodyEnd = length === undefined ? 'last chunk' : { leftBytes: Number(length) };
      this.#head = '';
      body = bytes.subarray(end + END_OF_HEAD.length);
    }
    if (this.#bodyEnd === 'last chunk') {
      if (body.subarray(-LAST_CHUNK.length).toString('latin1') === LAST_CHUNK) this.#complete();
      return;
    }
    this.#bodyEnd.leftBytes -= body.length;
    if (this.#bodyEnd.leftBytes < 0) this.#fail(new Error('A response is longer than its Content-Length.'));
    else if (this.#bodyEnd.leftBytes === 0) this.#complete();
  }

  #complete(): void {
    this.#bodyEnd = null;
    const pending = this.#pending;
    this.#pending = null;
    pending?.resolve(this.#status);
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = null;
    this.#socket.destroy();
  }
}
