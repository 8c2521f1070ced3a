import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { reportNodes } from '../src/index.ts';

/** A node that gives this answer to every command; null: it closes the connection. */
async function problemOf(answer: string | null): Promise<string | null | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => (answer === null ? socket.destroy() : socket.write(`${answer}\r\n`)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  // The second node has no server.
  const reports = await reportNodes(`redis://127.0.0.1:${port}, redis://127.0.0.1:1`);
  server.close();
  expect(reports.map(({ node }) => node)).toEqual([`127.0.0.1:${port}`, '127.0.0.1:1']);
  expect(reports[1]?.problem).toContain('ECONNREFUSED');
  return reports[0]?.problem;
}

test.each([
  ['*1\r\n:0', null],
  ['-MOVED 1 127.0.0.1:7001', null],
  ['-READONLY x', 'it is a replica; name the master (READONLY x)'],
  ['*1\r\n-READONLY x', 'it is a replica; name the master (READONLY x)'],
  [
    '-NOPERM x',
    /^its user may not run this; allow ~svc:\* \+eval .*, and \+cluster in a cluster \(NOPERM x\)$/,
  ],
  ['-WRONGPASS x', 'the user or the password is wrong or missing (WRONGPASS x)'],
  ['-NOAUTH x', 'the user or the password is wrong or missing (NOAUTH x)'],
  ...['ERR AUTH x', 'ERR invalid password', 'ERR Protocol error: unauthenticated bulk length'].map(
    (text): [string, string] => [`-${text}`, `the user or the password is wrong or missing (${text})`],
  ),
  ['-ERR x', 'ERR x'],
  ['-ERR self-signed certificate', /^its certificate is not signed by .* \(ERR self-signed certificate\)$/],
  ["-ERR unknown command 'eval'", /^it does not run scripts; Redis Sentinel is not supported, /],
  [null, /^it closed the connection; a server with TLS needs rediss:\/\/ \(/],
])('a node that answers %j is reported with what to do about it', async (answer, problem) => {
  expect(await problemOf(answer)).toEqual(
    problem instanceof RegExp ? expect.stringMatching(problem) : problem,
  );
});
