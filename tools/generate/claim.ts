// Fictional claims: the contract's examples with other numbers, people and places. Phone numbers are reserved for fiction.
import { riverClaim, type SendClaimBody, smallestClaim, surgeClaim } from '@svc/contract';
import { type Random, seededRandom } from './random.ts';

/** Not an account; name an adjuster of the firm to send the claims. */
export const SAMPLE_ADJUSTER = 'SVC-0000-Sample';

const FIRST_NAMES = ['Ana', 'Chidi', 'Gabriela', 'Hùng', 'Marisol', 'Owen', 'Søren', 'Wanda'];
const LAST_NAMES = ['Delgado', 'Łukasik', 'Nguyễn', 'Okafor', 'Reyes', 'Rodríguez', 'Whitcomb', 'Zhang'];
const STREETS = ['Bayshore Drive', 'Heron Point', 'Levee Road', 'Mangrove Court', 'Millrace Lane'];
const PLACES = [
  { city: 'Cape Coral', county: 'Lee', state: 'FL', zip: '33904', area: '239' },
  { city: 'Galveston', county: 'Galveston', state: 'TX', zip: '77550', area: '409' },
  { city: 'Hoboken', county: 'Hudson', state: 'NJ', zip: '07030', area: '201' },
  { city: 'Mayagüez', county: 'Mayagüez', state: 'PR', zip: '00680', area: '787' },
  { city: 'Slidell', county: 'St. Tammany', state: 'LA', zip: '70458', area: '985' },
] as const;
const CARRIERS = [
  'Gulf',
  'Laguna Madre',
  'Palmetto',
  'Piedmont',
  'Sandhill',
  'Tidewater',
  'Tri-County',
  'Zephyr',
].flatMap((name) =>
  ['Insurance', 'Mutual', 'Fire & Casualty', 'Flood', 'Assurance'].map((kind) => `${name} ${kind}`),
);
/** More than half have the fields that a firm usually has. */
const EXAMPLES: readonly SendClaimBody[] = [
  surgeClaim,
  surgeClaim,
  surgeClaim,
  riverClaim,
  smallestClaim,
  surgeClaim,
  riverClaim,
];

/** The claim with this index in the seed's sequence. It depends on nothing else, so claims can be generated in any order. */
export function generateClaim(
  index: number,
  seed: number,
  adjuster: string = SAMPLE_ADJUSTER,
): SendClaimBody {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is not a valid claim index`);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`${seed} is not a valid seed`);
  const random = seededRandom(`${seed}/${index}`);
  const { area, ...place } = random.pick(PLACES);
  const example = random.pick(EXAMPLES);
  const serial = `${seed}-${String(index).padStart(7, '0')}`;
  return {
    ...example,
    external_id: `GEN-${serial}`,
    claim_number: `${place.state}26-${serial}`,
    adjuster_svc_id: adjuster,
    loss: { ...example.loss, date: `2026-0${random.integer(1, 8)}-${random.integer(10, 28)}` },
    policy: { ...example.policy, number: `${random.integer(10, 99)}-${random.integer(1e9, 9e9)}-2025` },
    carrier: { ...example.carrier, name: random.pick(CARRIERS) },
    loss_location: { ...example.loss_location, ...place, street: streetOf(random) },
    policyholder: {
      ...(random.chance(0.5) && example.policyholder),
      first_name: random.pick(FIRST_NAMES),
      last_name: random.pick(LAST_NAMES),
      phone: `${area}-555-01${random.integer(10, 99)}`,
    },
  };
}

const streetOf = (random: Random): string => `${random.integer(1, 9999)} ${random.pick(STREETS)}`;
