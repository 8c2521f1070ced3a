import type { DeskEndpoint } from '../requests.ts';
import { staffEndpoints } from './staff.ts';

/** The operations of the firm's desk. */
export const deskEndpoints = { ...staffEndpoints } as const satisfies Record<string, DeskEndpoint>;
