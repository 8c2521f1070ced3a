import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readClaims } from '../src/send/read-claims.ts';

const read = (text: string) => readClaims(new TextEncoder().encode(text));

describe('the input of send', () => {
  it('is one claim, spread over lines as an editor does it', () => {
    const claim = { external_id: 'A', loss: { date: '2026-08-27' } };
    expect(read(JSON.stringify(claim, null, 2))).toEqual([{ number: 1, claim }]);
    expect(read(`\n\n  ${JSON.stringify(claim, null, 2)}\n`)).toEqual([{ number: 3, claim }]);
  });

  it('is one claim a line, with any line ending and empty lines between', () => {
    expect(read('{"external_id":"A"}\r\n\r\n  \n{"external_id":"B"}')).toEqual([
      { number: 1, claim: { external_id: 'A' } },
      { number: 4, claim: { external_id: 'B' } },
    ]);
  });

  it('may begin with a byte order mark', () => {
    expect(read('\ufeff{"a":1}\n{"a":2}\n')).toEqual([
      { number: 1, claim: { a: 1 } },
      { number: 2, claim: { a: 2 } },
    ]);
  });

  it('has its faults told by line, beside the lines that are good', () => {
    expect(read('{"external_id":"A"}\n{oops\n[1]\n7\nnull\n{"external_id":"B"}')).toEqual([
      { number: 1, claim: { external_id: 'A' } },
      { number: 2, fault: 'not JSON' },
      { number: 3, fault: 'not a JSON object' },
      { number: 4, fault: 'not a JSON object' },
      { number: 5, fault: 'not a JSON object' },
      { number: 6, claim: { external_id: 'B' } },
    ]);
  });

  it('is not an array, and says how to make lines of one', () => {
    expect(read('[{"external_id":"A"}]')).toMatchObject([{ fault: expect.stringContaining('jq -c') }]);
  });

  it('is not CSV, and says so once', () => {
    expect(read('external_id,claim_number\nA,1\nB,2\n')).toMatchObject([
      { number: 1, fault: expect.stringContaining('CSV') },
    ]);
  });

  it('is text', () => {
    expect(readClaims(Uint8Array.of(0x7b, 0xff, 0x7d))).toMatchObject([
      { fault: expect.stringContaining('UTF-8') },
    ]);
  });

  it('does not hold two claims under one external_id, but may repeat a line', () => {
    expect(read('{"external_id":"A","n":1}\n{"external_id":"A","n":2}\n{"external_id":"A","n":1}')).toEqual([
      { number: 1, claim: { external_id: 'A', n: 1 } },
      { number: 2, externalId: 'A', fault: 'another claim than line 1, under the same external_id' },
      { number: 3, claim: { external_id: 'A', n: 1 } },
    ]);
  });

  it('holds nothing when there is nothing in it', () => {
    expect(read(' \n\n')).toEqual([]);
  });

  it('gives back each claim that was written, in order', () => {
    const claims = fc.array(fc.record({ external_id: fc.uuid(), note: fc.string() }), { minLength: 2 });
    fc.assert(
      fc.property(claims, (written) => {
        const text = written.map((claim) => JSON.stringify(claim)).join('\n');
        expect(read(text)).toEqual(written.map((claim, i) => ({ number: i + 1, claim: { ...claim } })));
      }),
    );
  });
});
