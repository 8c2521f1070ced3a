import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readClaims } from '../src/send/read-claims.ts';

const read = (text: string) => readClaims(new TextEncoder().encode(text));

describe('the input of send', () => {
  it('may be one claim on several lines', () => {
    const claim = { external_id: 'A', loss: { date: '2026-08-27' } };
    expect(read(JSON.stringify(claim, null, 2))).toEqual([{ number: 1, claim }]);
    expect(read(`\n\n  ${JSON.stringify(claim, null, 2)}\n`)).toEqual([{ number: 3, claim }]);
  });

  it('may be one claim per line, with any line ending and empty lines', () => {
    expect(read('{"external_id":"A"}\r\n\r\n  \n{"external_id":"B"}')).toEqual([
      { number: 1, claim: { external_id: 'A' } },
      { number: 4, claim: { external_id: 'B' } },
    ]);
    expect(read(' \n\n')).toEqual([]);
    expect(read('7')).toEqual([{ number: 1, problem: 'not a JSON object' }]);
  });

  it('has invalid lines reported by number next to valid ones', () => {
    expect(read('{"external_id":"A"}\n{oops\n[1]\n7\nnull\n{"external_id":"B"}\n{} //')).toEqual([
      { number: 1, claim: { external_id: 'A' } },
      { number: 2, problem: 'not JSON, column 2' },
      { number: 3, problem: 'not a JSON object' },
      { number: 4, problem: 'not a JSON object' },
      { number: 5, problem: 'not a JSON object' },
      { number: 6, claim: { external_id: 'B' } },
      { number: 7, problem: 'not JSON, column 4' },
    ]);
  });

  it.each([
    ['an array, and the error says how to convert it', '[{"external_id":"A"}]', 'jq -c'],
    ['CSV, reported once', 'external_id,claim_number\nA,1\nB,2\n', 'for CSV, use claims import'],
    [
      'in another encoding than UTF-8 and UTF-16',
      Uint8Array.of(0x7b, 0xff, 0x7d),
      'neither UTF-8 nor UTF-16',
    ],
  ])('must not be %s', (_, input, problem) => {
    const lines = typeof input === 'string' ? read(input) : readClaims(input);
    expect(lines).toEqual([{ number: 1, problem: expect.stringContaining(problem) }]);
  });

  it('must not have two claims with one external_id, but may repeat one in any order of its fields', () => {
    const again = '{ "n": 1, "external_id": "A" }';
    // The service says what is wrong with these.
    expect(read('{"external_id":7,"n":1}\n{"external_id":7,"n":2}')).toMatchObject([
      { claim: { n: 1 } },
      { claim: { n: 2 } },
    ]);
    expect(read(`{"external_id":"A","n":1}\n{"external_id":"A","n":2}\n${again}`)).toEqual([
      { number: 1, claim: { external_id: 'A', n: 1 } },
      { number: 2, externalId: 'A', problem: 'same external_id as line 1, with different content' },
      { number: 3, claim: { external_id: 'A', n: 1 } },
    ]);
  });

  it('must not have a member twice in one object', () => {
    const problem = 'the member "zip" appears twice in one object';
    expect(read('{"a":{"zip":"1","zip":"2"},"a":1}')).toEqual([{ number: 1, problem }]);
    expect(read('{"a":{"zip":"1"},"b":{"zip":"2"}}\n{"b":[{"zip":1},{"zip":2,"zip":2}]}')).toEqual([
      { number: 1, claim: { a: { zip: '1' }, b: { zip: '2' } } },
      { number: 2, problem },
    ]);
  });

  it('yields each claim in order', () => {
    const claims = fc.array(fc.record({ external_id: fc.uuid(), note: fc.string() }), { minLength: 2 });
    fc.assert(
      fc.property(claims, (written) => {
        const text = written.map((claim) => JSON.stringify(claim)).join('\n');
        expect(read(text)).toEqual(written.map((claim, i) => ({ number: i + 1, claim: { ...claim } })));
      }),
    );
  });
});
