import { expect, test } from '@jest/globals';
import type { ClaimAsSent } from '@svc/domain';
import { summaryOf } from '../src/index.ts';

const PLACE = { street: '1 Sea Lane', city: 'Sanibel', state: 'FL', zip: '33957' };
const NOTHING = { name: '', street: '', city: '', state: '', zip: '', carrier: '' };
const PERSON = { first_name: 'Ana', last_name: 'Díaz' };

test.each([
  [{ policyholder: { ...PERSON, company_name: 'Díaz LLC' } }, { name: 'Ana Díaz' }],
  [{ policyholder: { company_name: 'Díaz LLC' } }, { name: 'Díaz LLC' }],
  [
    { loss_location: { ...PLACE, country: 'US' }, carrier: { name: 'Gulf' } },
    { ...PLACE, carrier: 'Gulf' },
  ],
  [{}, {}],
])('the summary of %j is %j', (content, summary) => {
  expect(summaryOf(JSON.stringify(content) as ClaimAsSent)).toEqual({ ...NOTHING, ...summary });
});
