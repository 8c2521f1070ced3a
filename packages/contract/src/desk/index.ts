import type { DeskEndpoint } from '../requests.ts';
import { auditEndpoints } from './audit.ts';
import { boardEndpoints } from './board.ts';
import { clockEndpoints } from './clocks.ts';
import { developerEndpoints } from './developers.ts';
import { importEndpoints } from './imports.ts';
import { readinessEndpoints } from './readiness.ts';
import { staffEndpoints } from './staff.ts';
import { webhookEndpoints } from './webhooks.ts';

/** The operations of the firm's desk. */
export const deskEndpoints = {
  ...staffEndpoints,
  ...readinessEndpoints,
  ...developerEndpoints,
  ...auditEndpoints,
  ...boardEndpoints,
  ...clockEndpoints,
  ...webhookEndpoints,
  ...importEndpoints,
} as const satisfies Record<string, DeskEndpoint>;
