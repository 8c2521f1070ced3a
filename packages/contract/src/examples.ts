import type { Example } from './endpoint.ts';
import { exampleRequest } from './example.ts';
import { type EndpointId, endpoints } from './operations.ts';
import { makeProblem, type Problem } from './problems.ts';

/** A request and its response for each operation. */
export const EXAMPLES = Object.fromEntries(
  Object.entries(endpoints).map(([id, endpoint]) => [id, exampleRequest(endpoint)]),
) as { readonly [Id in EndpointId]: Example };

/** A rejected claim with several validation errors. */
export const EXAMPLE_PROBLEM: Problem = makeProblem('validation_failed', {
  docsUrl: 'https://example.com/docs',
  requestId: '01980a5e-4c7f-7b3e-9d8a-0f6c2b1a7e55',
  errors: [
    {
      detail: 'This header is required: printable text of 1 to 255 characters.',
      header: 'Idempotency-Key',
    },
    {
      detail: 'Must be a valid calendar date (YYYY-MM-DD).',
      pointer: '/loss/date',
    },
    {
      detail: 'Must be one of the 72 flood zones, in uppercase without leading zeros; did you mean A8?',
      pointer: '/building/flood_zone',
    },
  ],
});
