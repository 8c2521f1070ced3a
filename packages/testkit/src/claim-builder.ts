import type { CarrierDetails, ClaimAsSent, ClaimFacts } from '@svc/domain';

export interface ClaimToSend {
  readonly facts: ClaimFacts;
  readonly asSent: ClaimAsSent;
}

const CARRIERS: readonly CarrierDetails[] = [
  { name: 'Gulf Coast Mutual Flood', phone: '(985) 555-0142', email: 'claims@gulfcoast.example' },
  { name: 'Bayou State Insurance Co.', phone: '504-555-0117' },
  {
    name: 'Tidewater Indemnity',
    email: 'fnol@tidewater.example',
    address: { street: '400 Harbor Blvd', city: 'Norfolk', state: 'VA', zip: '23510-1100' },
  },
  { name: 'Seguros del Caribe' },
];
const LOCATIONS = [
  { street: '118 Heron Ln', city: 'Slidell', state: 'LA', zip: '70458' },
  { street: '2207 Estero Blvd', city: 'Fort Myers Beach', state: 'FL', zip: '33931-2614' },
  { street: 'Carr. 3 Km 44.2', city: 'Fajardo', state: 'PR', zip: '00738' },
  { street: '31 Dune Rd', city: 'Westerly', state: 'RI', zip: '02891' },
];
const POLICYHOLDERS = [
  { first_name: 'Marguerite', last_name: 'Thibodeaux', phone: '(985) 555-0188' },
  { first_name: 'José', last_name: 'Peña', email: 'jose.pena@example.net' },
  { company_name: 'Dune Road Condominium Assn.', phone: '401-555-0133', email: 'board@dunerd.example' },
];

const nth = <T>(values: readonly [T, ...T[]] | readonly T[], n: number): T => values[n % values.length] as T;

/** The nth test claim; different numbers give different claims. */
export function testClaim(n: number, changes: Partial<ClaimFacts> = {}): ClaimToSend {
  const facts: ClaimFacts = {
    externalId: `FILE-${n}`,
    claimNumber: `FLD26-${String(n).padStart(6, '0')}`,
    carrier: nth(CARRIERS, n),
    ...changes,
  };
  const body = {
    external_id: facts.externalId,
    claim_number: facts.claimNumber,
    loss: { date: '2026-08-29', peril: 'flood' },
    policy: { number: `87${String(n).padStart(8, '0')}`, effective_date: '2026-02-01' },
    carrier: facts.carrier,
    loss_location: nth(LOCATIONS, n),
    policyholder: nth(POLICYHOLDERS, n),
    building: { occupancy_type: 'single_family_home', building_type: 'main_dwelling', flood_zone: 'AE' },
    coverages: { building_limit: 250000, contents_limit: 100000.5, building_deductible: 2000 },
  };
  return { facts, asSent: JSON.stringify(body) as ClaimAsSent };
}
