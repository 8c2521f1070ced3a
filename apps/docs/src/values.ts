import {
  ASSIGNMENT_STATUSES,
  BUILDING_TYPES,
  EDGE_REQUESTS_PER_MINUTE,
  FLOOD_ZONES,
  firmEndpoints,
  INTERFACE_VERSION,
  LIMITS,
  LOSS_CAUSES,
  LOSS_LOCATION_STATES,
  NON_RESIDENTIAL_BUILDING_TYPES,
  NON_RESIDENTIAL_OCCUPANCY_TYPES,
  OCCUPANCY_TYPES,
  RATES,
  RESIDENTIAL_BUILDING_TYPES,
  RESIDENTIAL_OCCUPANCY_TYPES,
  sandboxEndpoints,
  smallestClaim,
} from '@svc/contract';
import { changelogEntries } from './changelog.ts';
import {
  type Block,
  deskHelp,
  errorEntries,
  errorTable,
  operationList,
  operationsTagged,
  operationTable,
  packageTable,
  programs,
  receivers,
  scopeTable,
} from './generated.ts';
import { packages, packageUrl } from './packages.ts';
import type { DocsAddresses } from './pages.ts';

const count = (value: number): string => value.toLocaleString('en-US');
const codes = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

const operations = Object.values({ ...firmEndpoints, ...sandboxEndpoints });
/** They require an Idempotency-Key. */
const keyed = operations.filter((operation) => 'headers' in operation);

/** Values from the contract for placeholders in pages, such as `{{limits.page.max}}`. */
const VALUES: Readonly<Record<string, unknown>> = {
  limits: LIMITS,
  rates: RATES,
  edge: { perMinute: EDGE_REQUESTS_PER_MINUTE },
  interface: { version: INTERFACE_VERSION },
  derived: {
    bodyMegabytes: LIMITS.bodyBytes / 2 ** 20,
    pageMegabytes: LIMITS.page.bytes / 2 ** 20,
    toolPageKilobytes: LIMITS.toolPage.bytes / 2 ** 10,
    messageKilobytes: LIMITS.messageBytes / 2 ** 10,
    openBodyKilobytes: LIMITS.openBodyBytes / 2 ** 10,
    writeMethods: codes(
      [...new Set(operations.map(({ method }) => method))].filter((method) => method !== 'GET'),
    ),
    smallChunkKilobytes: LIMITS.smallChunks / 2 ** 10,
    rejectedOf25: 25 - RATES.test.burst,
    pairs: OCCUPANCY_TYPES.length * BUILDING_TYPES.length,
    pairsAccepted:
      RESIDENTIAL_OCCUPANCY_TYPES.length * RESIDENTIAL_BUILDING_TYPES.length +
      NON_RESIDENTIAL_OCCUPANCY_TYPES.length * NON_RESIDENTIAL_BUILDING_TYPES.length,
    zoneCount: FLOOD_ZONES.length,
    stateCount: LOSS_LOCATION_STATES.length,
    statusOfSending: firmEndpoints.sendClaim.success.status,
    statusOfOffering: firmEndpoints.offerClaim.success.status,
  },
  lists: {
    assignmentStatuses: codes(ASSIGNMENT_STATUSES),
    keyedOperations: codes(keyed.map(({ method, path }) => `${method} ${path}`)),
    keyedTools: codes(keyed.map(({ id }) => id)),
    readTools: codes(
      Object.values(firmEndpoints)
        .filter(({ auth, write }) => auth === 'key' && !write)
        .map(({ id }) => id),
    ),
    lossCauses: codes(LOSS_CAUSES),
    zones: codes(FLOOD_ZONES),
    residentialOccupancies: codes(RESIDENTIAL_OCCUPANCY_TYPES),
    nonResidentialOccupancies: codes(NON_RESIDENTIAL_OCCUPANCY_TYPES),
    residentialBuildings: codes(RESIDENTIAL_BUILDING_TYPES),
    nonResidentialBuildings: codes(NON_RESIDENTIAL_BUILDING_TYPES),
  },
  // Readers try it with a test key, which requires a test account.
  example: {
    smallestClaim: JSON.stringify({ ...smallestClaim, adjuster_svc_id: 'test_…_accepts' }, null, 2),
  },
};

const BLOCKS: Readonly<Record<string, Block>> = {
  'changelog.entries': changelogEntries,
  'desk.help': deskHelp,
  'packages.table': packageTable,
  programs,
  receivers,
  'errors.table': errorTable,
  'errors.entries': errorEntries,
  'operations.table': operationTable,
  'scopes.table': scopeTable,
  'operations.list': operationList,
  'operations.claims': operationsTagged('Claims'),
  'operations.adjusters': operationsTagged('Adjusters'),
  'operations.keyAndHealth': operationsTagged('Key and health'),
  'operations.sandbox': operationsTagged('Sandbox'),
  'operations.adjusterApp': operationsTagged('Adjuster app', 'app'),
};

/** Replaces placeholders by values or generated blocks; throws on an unknown one. */
export function fillPlaceholders(markdown: string, addresses: DocsAddresses): string {
  return markdown.replace(/\{\{([\w.]+)\}\}/g, (_, name: string) => {
    const block = BLOCKS[name];
    if (block !== undefined) return block(addresses);
    const found = name
      .split('.')
      .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], {
        ...VALUES,
        ...addresses,
        // Packed only for a page that names one.
        get package() {
          return Object.fromEntries(packages().map(({ key, file }) => [key, packageUrl(file, addresses)]));
        },
      });
    if (typeof found === 'number') return count(found);
    if (typeof found === 'string') return found;
    throw new Error(`A page of the documentation has the unknown placeholder {{${name}}}.`);
  });
}
