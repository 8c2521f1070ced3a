import type { NewClaim } from '@svc/client';

interface Town {
  readonly city: string;
  readonly county: string;
  readonly zip: string;
  readonly zones: readonly [Zone, ...Zone[]];
}
type Zone = 'VE' | 'AE' | 'X';

const TOWNS: readonly [Town, ...Town[]] = [
  { city: 'Fort Myers Beach', county: 'Lee', zip: '33931', zones: ['VE', 'AE', 'AE'] },
  { city: 'Sanibel', county: 'Lee', zip: '33957', zones: ['VE', 'AE'] },
  { city: 'Cape Coral', county: 'Lee', zip: '33904', zones: ['AE', 'AE', 'X'] },
  { city: 'Punta Gorda', county: 'Charlotte', zip: '33950', zones: ['AE', 'X'] },
  { city: 'Naples', county: 'Collier', zip: '34102', zones: ['AE', 'VE', 'X'] },
];
const STREETS = ['Heron Way', 'Mangrove Court', 'Tarpon Street', 'Gulf Terrace', 'Sea Grape Lane'] as const;
const FIRST_NAMES = ['Marisol', 'Dwight', 'Ana', 'Terrence', 'Lourdes', 'Patrick', 'Thuy'] as const;
const LAST_NAMES = ['Delgado', 'Whitaker', 'Pierre', 'Nguyen', 'Castellano', 'Boone'] as const;
const CARRIERS = ['Palmetto Mutual Insurance', 'Gulf Mutual Flood', 'Harborline Flood Insurance'] as const;
const DAY_MS = 86_400_000;

const pick = <Item>(items: readonly [Item, ...Item[]], n: number): Item =>
  items[n % items.length] ?? items[0];

/**
 * The nth claim of a hurricane that made landfall two days ago: surge on the coast, rain inland, reported within days.
 * @param run makes its ids different from those of other rehearsals.
 */
export function eventClaim(n: number, adjuster_svc_id: string, run: string, now: number): NewClaim {
  const day = (days: number): string => new Date(now + days * DAY_MS).toISOString().slice(0, 10);
  const town = pick(TOWNS, n);
  const serial = String(n + 1).padStart(4, '0');
  const flood_zone = pick(town.zones, Math.floor(n / 5));
  const isCoast = flood_zone === 'VE';
  const depth = isCoast ? 30 + ((n * 7) % 50) : (n * 5) % 30;
  return {
    external_id: `REH-${run}-${serial}`,
    claim_number: `FL-${run}-${serial}`,
    adjuster_svc_id,
    reported_date: day(n % 3 === 0 ? 0 : -1),
    loss: {
      date: day(-2),
      cause: isCoast ? 'tidal_water_overflow' : 'rainfall_snowmelt_accumulation',
      exterior_water_depth_inches: depth,
      interior_water_depth_inches: Math.floor(depth / 2),
    },
    policy: {
      number: `87-${4_410_000_000 + n * 7919}`,
      effective_date: day(-200),
      expiration_date: day(165),
    },
    carrier: { name: pick(CARRIERS, n) },
    loss_location: {
      street: `${100 + n * 4} ${pick(STREETS, n)}`,
      city: town.city,
      county: town.county,
      state: 'FL',
      zip: town.zip,
    },
    policyholder:
      n % 6 === 5
        ? { company_name: `${town.city} Rentals LLC`, phone: '239-555-0163' }
        : {
            first_name: pick(FIRST_NAMES, n),
            last_name: pick(LAST_NAMES, Math.floor(n / 2)),
            phone: `239-555-01${String(n % 100).padStart(2, '0')}`,
          },
    building: { occupancy_type: 'single_family_home', building_type: 'main_dwelling', flood_zone },
    coverages: { building_limit: 250_000, contents_limit: 100_000 },
  };
}
