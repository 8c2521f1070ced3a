import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { listening } from '../../../tools/services/local-server.ts';
import { reportNodes } from '../src/index.ts';
import { SCRIPT } from '../src/scripts.ts';

/** A node that gives this answer to every command; null: it closes the connection. */
async function problemOf(answer: string | null): Promise<string | null | undefined> {
  let received = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data;
      return answer === null ? socket.destroy() : socket.write(`${answer}\r\n`);
    });
  });
  const { port, stop } = await listening(server);
  // Neither the second node nor the third one has a server.
  const reports = await reportNodes(`redis://127.0.0.1:${port}, redis://127.0.0.1:1,rediss://127.0.0.2`);
  await stop();
  const nodes = [`127.0.0.1:${port}`, '127.0.0.1:1', '127.0.0.2:6379'];
  expect(reports.map(({ node }) => node)).toEqual(nodes);
  expect(reports[1]?.problem).toContain('ECONNREFUSED');
  // The script, one key, no deadline, no clock of a test, and what is counted.
  const [, sent] = received.split(SCRIPT.lua);
  const values = [1, 'svc:limit:{probe}', 0, '', 'consume', 1_000_000, 1_000_000, 1_000_000, 0];
  expect(sent).toBe(`\r\n${values.map((value) => `$${String(value).length}\r\n${value}\r\n`).join('')}`);
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
