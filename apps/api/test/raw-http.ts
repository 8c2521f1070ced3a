import { connect } from 'node:net';

/** A response as received over a TCP connection. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** Whether the server closed the connection. */
  readonly ended: boolean;
}

type Step = string | Uint8Array;

/**
 * Sends bytes over a TCP connection and reads until the server closes it or has sent `responses` responses. Lets tests
 * send invalid HTTP, and see what fetch would hide.
 */
export function sendBytes(
  url: string,
  steps: Step | readonly Step[],
  options: { readonly responses?: number; readonly bodiless?: boolean; readonly halfClose?: boolean } = {},
): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const finish = (ended: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve({ responses: parse(received, options.bodiless === true), ended });
    };
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`timed out; received so far: ${received.toString('latin1').slice(0, 500)}`));
    }, 20_000);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const wanted = options.responses;
      if (wanted !== undefined && parse(received, options.bodiless === true).length >= wanted) finish(false);
    });
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    socket.on('error', () => finish(true));
    socket.on('connect', () => {
      for (const step of Array.isArray(steps) ? (steps as readonly Step[]) : [steps as Step]) {
        socket.write(typeof step === 'string' ? Buffer.from(step, 'latin1') : step);
      }
      if (options.halfClose === true) socket.end();
    });
  });
}

function parse(bytes: Buffer, bodiless: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return responses;
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
    if (rest.length < end + 4 + length) return responses;
    responses.push({ status, head, headers, body: rest.subarray(end + 4, end + 4 + length).toString() });
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
