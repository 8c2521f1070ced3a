import { expect, test } from '@jest/globals';
import { formatHistory, type HistoryEntry, parseHistory } from './history.ts';

const ENTRY: HistoryEntry = {
  process: 'a',
  key: 'x',
  operation: { type: 'write', value: 1 },
  invocation: 1.5,
  completion: 2,
  outcome: 'ok',
  result: null,
};

test('a history written as JSON Lines is read back unchanged', () => {
  const { key: _, ...withoutKey } = ENTRY;
  const entries: HistoryEntry[] = [ENTRY, { ...withoutKey, process: 3, outcome: 'info', completion: null }];
  expect(parseHistory(`${formatHistory(entries)}\n`)).toEqual(entries);
});

test.each([
  ['not JSON', '{"process": 1', /^line 2: /],
  ['an array', '[]', 'line 2: an entry is a JSON object'],
  ['no process', { process: null }, 'line 2: process must be a string or number'],
  ['a number as key', { key: 1 }, 'line 2: key must be a string'],
  ['no operation', { operation: undefined }, 'line 2: operation is missing'],
  ['no invocation', { invocation: 'now' }, 'line 2: invocation must be a number'],
  ['an unknown outcome', { outcome: 'maybe' }, 'line 2: outcome must be ok, fail, info'],
  ['no completion', { completion: null }, 'line 2: completion must be a number when outcome is ok'],
  [
    'a completion of an unknown outcome',
    { outcome: 'info' },
    'line 2: completion must be null when outcome is info',
  ],
  ['a negative duration', { completion: 1 }, 'line 2: completion is before invocation'],
] as const)('%s is rejected with its line', (_name, line, message) => {
  const text = typeof line === 'string' ? line : JSON.stringify({ ...ENTRY, ...line });
  expect(() => parseHistory(`${JSON.stringify(ENTRY)}\n${text}\n`)).toThrow(message);
});
