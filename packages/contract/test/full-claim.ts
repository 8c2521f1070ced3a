import { surgeClaim } from '../src/example-values.ts';
import { claimWith } from './requests.ts';

const address = { street: '200 Harbor Plaza', city: 'Tampa', state: 'FL', zip: '33602' };
const contact = {
  first_name: 'Ray',
  last_name: 'Okafor',
  company_name: 'Gulf Shore Rentals LLC',
  phone: '239-555-0121',
  email: 'ray@example.com',
  address,
};

/** A claim with every field. */
const FULL_CLAIM = JSON.stringify({
  ...surgeClaim,
  loss_location: { ...surgeClaim.loss_location, street2: 'Unit B' },
  policyholder: { ...contact, mailing_address: address, alternate_phone: '239-555-0188' },
  contact_date: '2026-08-29',
  inspection_date: '2026-09-01',
  additional_contacts: [{ ...contact, role: 'Tenant' }],
  agent: { ...contact, agency_number: 'A-20417' },
  mortgagee: { ...contact, loan_number: '0048812237' },
  coverages: {
    ...surgeClaim.coverages,
    building_reserve: 45000,
    contents_reserve: 12500,
    building_advance_payment: 5000,
    contents_advance_payment: 1500,
    icc_limit: 30000,
    building_actual_cash_value: 268900.4,
    contents_replacement_cost: 84200,
    contents_actual_cash_value: 51730.25,
  },
  estimate: { ...surgeClaim.estimate, building_tax_rate: 0.07, depreciation_rate: 0.15 },
});

type Body = Record<string, unknown>;

export const fullClaim = (): Body => JSON.parse(FULL_CLAIM) as Body;

/** The full claim with one value replaced at the pointer; undefined removes the field. */
export const fullWith = (pointer: string, value: unknown): Body => claimWith(pointer, value, fullClaim());
