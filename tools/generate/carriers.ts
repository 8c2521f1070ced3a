import { listed } from './people.ts';

/** Fictional insurance companies, often with incomplete details. */
interface Carrier {
  readonly name: string;
  readonly naic: string;
  readonly phone?: string;
  readonly email?: string;
  readonly address?: {
    readonly street: string;
    readonly city: string;
    readonly state: string;
    readonly zip: string;
  };
}

const NAMES = listed(`
  Palmetto Mutual Insurance; Gulf Stream Indemnity; Barrier Island Casualty; Coral Harbor Insurance Company;
  Tidewater Fire & Marine; Pelican State Mutual; Chesapeake Bay Assurance; Sea Oats Property & Casualty;
  Lone Star Coastal Insurance; Magnolia Home Insurance; First Seminole Insurance; Cypress Point Mutual;
  Aseguradora del Caribe; Seguros Borinquen; Bayou Country Mutual; Old Dominion Shore Insurance;
  Blue Heron Insurance Group; Lighthouse Keepers Mutual; Outer Banks Indemnity; Sandhill Crane Casualty;
  Great Egret Assurance; Harbor & Hearth Insurance; North Atlantic Home Mutual; Narragansett Fire Insurance;
  Garden State Shore Mutual; Empire Coastal Casualty; Cape Fear Insurance Company; Low Country Mutual;
  Savannah River Indemnity; Emerald Coast Insurance; Mobile Bay Assurance; Pontchartrain Mutual;
  Sabine Pass Casualty; Laguna Madre Insurance; Pacific Crest Home Insurance; Golden Gate Indemnity;
  Columbia Bar Mutual; Aloha Islands Insurance; Marianas Mutual Assurance; St. Croix Fire & Casualty`);

const OFFICES = [
  { city: 'Tampa', state: 'FL', zip: '33602', area: '813' },
  { city: 'Houston', state: 'TX', zip: '77002', area: '713' },
  { city: 'Hartford', state: 'CT', zip: '06103', area: '860' },
  { city: 'San Juan', state: 'PR', zip: '00918', area: '787' },
  { city: 'Baton Rouge', state: 'LA', zip: '70801', area: '225' },
  { city: 'Raleigh', state: 'NC', zip: '27601', area: '919' },
] as const;

export const CARRIERS: readonly Carrier[] = NAMES.map((name, index) => {
  const office = OFFICES[index % OFFICES.length] ?? OFFICES[0];
  const domain = name.toLowerCase().replace(/[^a-z]+/g, '-');
  return {
    name,
    naic: String(10_064 + index * 37),
    ...(index % 5 !== 4 && { phone: `${office.area}-555-01${String(index).padStart(2, '0')}` }),
    ...(index % 4 !== 3 && { email: `claims@${domain}.example.com` }),
    ...(index % 3 !== 2 && {
      address: {
        street: `${100 + index * 10} Harbor Plaza`,
        city: office.city,
        state: office.state,
        zip: office.zip,
      },
    }),
  };
});
