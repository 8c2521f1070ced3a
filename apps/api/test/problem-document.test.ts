import { expect, test } from '@jest/globals';
import { HttpProblem, problemDocument } from '../src/http/problems/http-problem.ts';

test('the addresses in a problem are below the configured public addresses', () => {
  const existingClaimId = '0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10';
  const addresses = { baseUrl: 'https://claims.example.com/flood', docsUrl: 'https://docs.example.com' };
  const problem = new HttpProblem('duplicate_claim', { existingClaimId });
  expect(problemDocument('request', problem, addresses)).toMatchObject({
    type: 'https://docs.example.com/errors#duplicate_claim',
    existing_claim_url: `https://claims.example.com/flood/v1/claims/${existingClaimId}`,
  });
});
