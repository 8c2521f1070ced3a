import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createLargeResponses } from '../src/http/limits/large-responses.ts';

const KILOBYTE = 1024;

function fixture() {
  const responses = createLargeResponses(200 * KILOBYTE);
  const sent: EventEmitter[] = [];
  const send = (reader: string | null, bytes: number, closed = false): string => {
    const response = Object.assign(new EventEmitter(), { closed });
    try {
      responses.count(response as unknown as ServerResponse, reader, bytes);
      sent.push(response);
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

const page = (kilobytes: number): number => kilobytes * KILOBYTE;

test('a reader with too much unread gets no further large response, until one is read', () => {
  const { send, sent } = fixture();
  const ends = [send('firm', page(100)), send('firm', page(100)), send('firm', page(64))];
  expect(ends.join()).toBe('sent,sent,memory');
  sent[0]?.emit('close');
  expect([send('firm', page(100)), send('firm', page(64))]).toEqual(['sent', 'memory']);
});

test('small responses, and those of writes and of other readers, are sent whatever one has left unread', () => {
  const { send } = fixture();
  expect(send('firm', page(200))).toBe('sent');
  const ends = [send('firm', page(63)), send(null, page(64)), send('other firm', page(200))];
  expect(ends.join()).toBe('sent,sent,sent');
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

test('unless set, a reader may leave 32 MB unread', () => {
  const responses = createLargeResponses();
  const count = (bytes: number) =>
    responses.count(
      Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse,
      'firm',
      bytes,
    );
  count(2 ** 25 - page(64));
  count(page(64));
  expect(() => count(page(64))).toThrow('The caller does not read its responses.');
});
