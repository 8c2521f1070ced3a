import { connect } from 'node:net';
import { type Finding, inParallel } from './finding.ts';

// Requests whose end a proxy and the service could see in different places, each with a second request hidden inside.

const IDLE_MS = 1500;

/** Sends bytes and returns all that is received until the connection ends or is silent. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const end = (): void => {
      clearTimeout(idle);
      socket.destroy();
      resolve(received);
    };
    let idle = setTimeout(end, IDLE_MS);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      clearTimeout(idle);
      idle = setTimeout(end, IDLE_MS);
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.on('connect', () => socket.write(Buffer.from(bytes, 'latin1')));
  });
}

const lines = (...parts: readonly string[]): string => parts.join('\r\n');

/** @param hidden a complete request that must not get a response */
function vectors(hidden: string): Readonly<Record<string, string>> {
  const post = (headers: readonly string[], body: string, host = 'Host: localhost'): string =>
    lines(
      'POST /app/v1/sign-in-codes HTTP/1.1',
      host,
      'Content-Type: application/json',
      ...headers,
      '',
      body,
    );
  const empty = `0\r\n\r\n${hidden}`;
  return {
    'Content-Length and Transfer-Encoding': post(['Content-Length: 4', 'Transfer-Encoding: chunked'], empty),
    'Transfer-Encoding: identity': post(['Content-Length: 2', 'Transfer-Encoding: identity'], `{}${hidden}`),
    'Transfer-Encoding: chunked, identity': post(['Transfer-Encoding: chunked, identity'], empty),
    'Transfer-Encoding: xchunked': post(['Content-Length: 2', 'Transfer-Encoding: xchunked'], `{}${hidden}`),
    'Transfer-Encoding sent twice': post(
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
      empty,
    ),
    'Transfer-Encoding with a vertical tab': post(
      ['Content-Length: 2', 'Transfer-Encoding: \x0bchunked'],
      empty,
    ),
    'Transfer-Encoding with a space before the colon': post(
      ['Content-Length: 2', 'Transfer-Encoding : chunked'],
      empty,
    ),
    'folded Transfer-Encoding': post(['Content-Length: 2', 'Transfer-Encoding:', ' chunked'], empty),
    'two Content-Lengths': post(['Content-Length: 2', `Content-Length: ${2 + hidden.length}`], `{}${hidden}`),
    'list of Content-Lengths': post(['Content-Length: 2, 2'], `{}${hidden}`),
    'signed Content-Length': post(['Content-Length: +2'], `{}${hidden}`),
    'hexadecimal Content-Length': post(['Content-Length: 0x2'], `{}${hidden}`),
    'oversized chunk length': post(['Transfer-Encoding: chunked'], `ffffffffffffffff1\r\n{}\r\n${empty}`),
    'chunk length with a sign': post(['Transfer-Encoding: chunked'], `-1\r\n${empty}`),
    'bare line feeds': `POST /app/v1/sign-in-codes HTTP/1.1\nHost: localhost\nContent-Length: 2\n\n{}${hidden}`,
    'a header with a null byte': post(['X-A: b\0c', 'Content-Length: 2'], `{}${hidden}`),
    'a header with a bare carriage return': post(['X-A: b\rX-B: c', 'Content-Length: 2'], `{}${hidden}`),
    'two Host headers': post(['Host: other.example', 'Content-Length: 2'], `{}${hidden}`),
    'no Host header': post(['Content-Length: 2'], `{}${hidden}`, 'X-No: host'),
  };
}

/** A request that the method or path in these headers would change, if a framework believed them. */
const OVERRIDES = [
  'X-HTTP-Method-Override: DELETE',
  'X-Method-Override: DELETE',
  'X-Original-URL: /v1/claims',
  'X-Rewrite-URL: /v1/claims',
  'X-Forwarded-Host: evil.example',
  'X-Forwarded-Prefix: /evil',
  'Forwarded: host=evil.example',
  'Connection: close, Authorization',
  'Upgrade: h2c',
] as const;

export async function smuggling(port: number, key: string): Promise<Finding[]> {
  const hidden = lines('GET /v1/me HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`, '', '');
  const attacks = Object.entries(vectors(hidden));
  const smuggled = await inParallel(attacks, 8, async ([name, bytes]) => {
    const received = await exchange(port, bytes);
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    // A complete first request may be answered, and the next one as well: that is pipelining. A rejected one ends all.
    const isSafe = !statuses.includes(200) && statuses.every((status) => status >= 400);
    return isSafe ? [] : [`${name}: ${statuses.join(', ')}`];
  });
  const plain = lines(
    'GET /v1/me HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Connection: close',
  );
  const bodyOf = (text: string): string => `${text.slice(9, 12)} ${text.split('\r\n\r\n')[1] ?? ''}`;
  const expected = bodyOf(await exchange(port, `${plain}\r\n\r\n`));
  const changed = await inParallel(OVERRIDES, 4, async (header) => {
    const got = bodyOf(await exchange(port, `${plain}\r\n${header}\r\n\r\n`));
    return got === expected ? [] : [`${header}: ${got.slice(0, 100)}`];
  });
  return [
    result(`request smuggling (${attacks.length} vectors)`, 'no hidden request is answered', smuggled.flat()),
    result(`headers that override method, path or host (${OVERRIDES.length})`, 'no effect', changed.flat()),
  ];
}

const result = (attack: string, bound: string, violations: readonly string[]): Finding => ({
  attack,
  bound,
  observed: violations.length === 0 ? bound : violations.join('; '),
  holds: violations.length === 0,
});
