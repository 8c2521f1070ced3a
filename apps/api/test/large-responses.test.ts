import { EventEmitter, once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createLargeResponses } from '../src/http/pipeline/large-responses.ts';
import { type AsciiJson, asciiJson } from '../src/http/serialization/ascii-json.ts';

const KILOBYTE = 1024;

function fixture() {
  const responses = createLargeResponses(200 * KILOBYTE);
  const sent: EventEmitter[] = [];
  const send = (reader: string | null, body: string, closed = false): string => {
    const response = Object.assign(new EventEmitter(), {
      closed,
      socket: null,
      writeHead: () => {},
      end: () => sent.push(response as EventEmitter),
    });
    try {
      responses.end(response as never, [], reader, body as AsciiJson);
      return 'sent';
    } catch (error) {
      return (error as { reason?: string }).reason ?? String(error);
    }
  };
  const mayList = (reader: string): boolean => {
    try {
      responses.checkReader(reader);
      return true;
    } catch {
      return false;
    }
  };
  return { send, sent, mayList };
}

const page = (kilobytes: number): string => 'a'.repeat(kilobytes * KILOBYTE);

test('a reader with too much unread gets no further large response, until one is read', () => {
  const { send, sent } = fixture();
  expect([send('firm', page(100)), send('firm', page(100)), send('firm', page(64))]).toEqual([
    'sent',
    'sent',
    'memory',
  ]);
  sent[0]?.emit('close');
  expect([send('firm', page(100)), send('firm', page(64))]).toEqual(['sent', 'memory']);
});

test('small responses, and those of writes and of other readers, are sent whatever one has left unread', () => {
  const { send } = fixture();
  expect(send('firm', page(200))).toBe('sent');
  expect([send('firm', page(63)), send(null, page(64)), send('other firm', page(200))]).toEqual([
    'sent',
    'sent',
    'sent',
  ]);
  expect(send('firm', page(64))).toBe('memory');
});

test('a list is read only for a reader who has left at most half of the limit unread', () => {
  const { send, sent, mayList } = fixture();
  send('firm', page(100));
  expect(mayList('firm')).toBe(true);
  send('firm', page(64));
  expect([mayList('firm'), mayList('other firm')]).toEqual([false, true]);
  for (const response of sent) response.emit('close');
  expect(mayList('firm')).toBe(true);
});

test('a response that is larger than the limit is sent to a reader who has left nothing unread', () => {
  const { send } = fixture();
  expect([send('firm', page(300)), send('firm', page(64))]).toEqual(['sent', 'memory']);
});

test('a response whose connection has failed does not count', () => {
  const { send } = fixture();
  for (let n = 0; n < 5; n += 1) expect(send('firm', page(100), true)).toBe('sent');
  expect(send('firm', page(100))).toBe('sent');
});

test('JSON of any alphabet, compressed bytes and the head alone are sent on one connection', async () => {
  const responses = createLargeResponses();
  const text = asciiJson('Renée, 東京');
  const server = createServer((incoming, response) => {
    if (incoming.url === '/gzip')
      responses.end(response, ['Content-Encoding', 'gzip'], 'firm', gzipSync(text));
    else responses.end(response, [], 'firm', incoming.url === '/plain' ? asciiJson(5) : text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const connections = new Set<number | undefined>();
  const get = async (path: string, method = 'GET') => {
    const sent = request({ port, path, method, agent }).end();
    const [received] = await once(sent, 'response');
    connections.add(sent.socket?.localPort);
    const chunks: Buffer[] = await received.toArray();
    return { length: received.headers['content-length'], body: Buffer.concat(chunks) };
  };
  try {
    expect(await get('/plain')).toEqual({ length: '1', body: Buffer.from('5') });
    expect(await get('/text')).toEqual({ length: String(text.length), body: Buffer.from(text) });
    expect(await get('/text', 'HEAD')).toEqual({
      length: String(text.length),
      body: Buffer.alloc(0),
    });
    expect(gunzipSync((await get('/gzip')).body).toString()).toBe(text);
    expect(await get('/plain')).toEqual({ length: '1', body: Buffer.from('5') });
    expect(connections.size).toBe(1);
  } finally {
    agent.destroy();
    server.close();
  }
});
