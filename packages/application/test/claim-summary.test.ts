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
  [
    { policyholder: { ...PERSON, phone: '239' }, policy: { number: '87-1', form_type: 'rcbap' } },
    { name: 'Ana Díaz', phone: '239', policyNumber: '87-1', formType: 'rcbap' },
  ],
  [{ loss: { cat_code: 'FL26-09' } }, { catCode: 'FL26-09' }],
  [{}, {}],
])('the summary of %j is %j', (content, summary) => {
  expect(summaryOf(JSON.stringify(content) as ClaimAsSent)).toEqual({ ...NOTHING, ...summary });
});
