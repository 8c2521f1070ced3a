import { connect } from 'node:net';

/** A response as received over a TCP connection. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface Heard {
  readonly answers: readonly RawAnswer[];
  /** Whether the server closed the connection. */
  readonly ended: boolean;
}

type Step = string | Uint8Array;

/**
 * Sends bytes over a TCP connection and reads until the server closes it or has sent `responses` responses. Lets tests
 * send invalid HTTP, and see what fetch would hide.
 */
export function speak(
  url: string,
  steps: Step | readonly Step[],
  options: { readonly answers?: number; readonly bodiless?: boolean; readonly hangUp?: boolean } = {},
): Promise<Heard> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let heard = Buffer.alloc(0);
    const finish = (ended: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve({ answers: parse(heard, options.bodiless === true), ended });
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`timed out; received so far: ${heard.toString('latin1').slice(0, 500)}`));
    }, 20_000);
    socket.on('data', (chunk) => {
      heard = Buffer.concat([heard, chunk]);
      const wanted = options.answers;
      if (wanted !== undefined && parse(heard, options.bodiless === true).length >= wanted) finish(false);
    });
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    socket.on('error', () => finish(true));
    socket.on('connect', () => {
      for (const step of Array.isArray(steps) ? (steps as readonly Step[]) : [steps as Step]) {
        socket.write(typeof step === 'string' ? Buffer.from(step, 'latin1') : step);
      }
      if (options.hangUp === true) socket.end();
    });
  });
}

function parse(bytes: Buffer, bodiless: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const head = rest.subarray(0, end).toString('latin1');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const status = Number(first.split(' ')[1]);
    // Without Content-Length, the response ends with the connection.
    const length =
      status < 200 || bodiless ? 0 : Number(headers.get('content-length') ?? rest.length - end - 4);
    if (rest.length < end + 4 + length) return answers;
    answers.push({ status, head, headers, body: rest.subarray(end + 4, end + 4 + length).toString() });
    rest = rest.subarray(end + 4 + length);
  }
}

/** The text of a request, with a Host header. */
export const request = (line: string, headers: Readonly<Record<string, string>> = {}, body = ''): string =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(headers).map(([n, v]) => `${n}: ${v}`),
    '',
    body,
  ].join('\r\n');
