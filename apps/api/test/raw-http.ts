import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

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
  options: {
    readonly responses?: number;
    readonly bodiless?: boolean;
    readonly halfClose?: boolean;
    readonly reset?: boolean;
    /** Between two steps. */
    readonly pauseMs?: number;
  } = {},
): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let [rest, open]: [Buffer, RawResponse | null] = [Buffer.alloc(0), null];
    const responses: RawResponse[] = [];
    const finish = (ended: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve({ responses: open === null ? responses : [...responses, open], ended });
    };
    const late = setTimeout(() => {
      socket.destroy();
      const unread = rest.toString('latin1').slice(0, 500);
      reject(new Error(`timed out after ${responses.length} responses; unread: ${unread}`));
    }, 20_000);
    socket.on('data', (chunk) => {
      // Parsed once each, since the server closes connections that are read too slowly.
      const parsed = parse(Buffer.concat([rest, chunk]), options.bodiless === true);
      responses.push(...parsed.complete);
      ({ open, rest } = parsed);
      const count = responses.length + (open === null ? 0 : 1);
      if (options.responses !== undefined && count >= options.responses) finish(false);
    });
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    socket.on('error', () => finish(true));
    socket.on('connect', async () => {
      for (const step of Array.isArray(steps) ? (steps as readonly Step[]) : [steps as Step]) {
        socket.write(typeof step === 'string' ? Buffer.from(step, 'latin1') : step);
        if (options.pauseMs !== undefined) await pause(options.pauseMs);
      }
      if (options.halfClose === true) socket.end();
      if (options.reset === true) socket.write('', () => socket.resetAndDestroy());
    });
  });
}

/** `open` has no Content-Length, so that it ends with the connection; `rest` begins with it. */
function parse(bytes: Buffer, bodiless: boolean) {
  const complete: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { complete, open: null, rest };
    const head = rest.subarray(0, end).toString('latin1');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const status = Number(first.split(' ')[1]);
    const announced = status < 200 || bodiless ? '0' : headers.get('content-length');
    const length = announced === undefined ? rest.length - end - 4 : Number(announced);
    if (rest.length < end + 4 + length) return { complete, open: null, rest };
    const body = rest.subarray(end + 4, end + 4 + length).toString();
    const response = { status, head, headers, body };
    if (announced === undefined) return { complete, open: response, rest };
    complete.push(response);
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
