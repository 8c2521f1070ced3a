import type { DeskEndpoint } from '../requests.ts';
import { boardEndpoints } from './board.ts';
import { readinessEndpoints } from './readiness.ts';
import { staffEndpoints } from './staff.ts';

/** The operations of the firm's desk. */
export const deskEndpoints = {
  ...staffEndpoints,
  ...readinessEndpoints,
  ...boardEndpoints,
} as const satisfies Record<string, DeskEndpoint>;
