import { FAULT_KINDS, SIMULATED_STATUS } from '@svc/domain/vocabulary';
import type { z } from 'zod';
import { fields, integer, oneOf, responseField } from './fields.ts';
import { LIMITS } from './limits.ts';
import { openEnum, responseObject } from './response-schema.ts';

export const departedAdjusterSchema = responseObject({
  svc_id: responseField.text("The test account's SVCID.", 'test_5d0c2c1e_accepts'),
  status: openEnum(['left'], {
    description: 'Always left; the list of adjusters no longer has it.',
    example: 'left',
  }),
}).meta({ id: 'DepartedAdjuster', description: 'A test account that left the firm.' });
export type DepartedAdjuster = z.output<typeof departedAdjusterSchema>;

export const simulateFaultsBody = fields({
  kind: oneOf(FAULT_KINDS, {
    id: 'FaultKind',
    description: `What happens to the requests. rate_limited, internal_error and service_unavailable are errors, and the request is not processed; slow is processed and gets its response after ${LIMITS.slowFaultMs / 1000} more seconds; dropped is processed, and then the connection is closed without a response; dropped_write is the same, for writes only; unknown_value is processed, and pending claims in the response have the status ${SIMULATED_STATUS} and a field that is not documented, as may be added at any time; short_page is processed, and a page ends after one claim, as a page of large claims may. The last three count only requests that they affect.`,
    example: 'dropped',
  }),
  count: integer(LIMITS.faultCount, {
    description: 'How many of the next requests are affected.',
    example: 2,
  }),
}).meta({ id: 'SimulateFaultsRequest', description: 'The fault, and for how many requests.' });

export const simulatedFaultsSchema = responseObject({
  kind: openEnum(FAULT_KINDS, {
    description: 'What happens to the requests; null if nothing is simulated.',
    example: 'dropped',
  }).nullable(),
  count: responseField.integer('How many of the next requests with this key are affected.', 2),
}).meta({ id: 'SimulatedFaults', description: 'The simulated faults of the key.' });
export type SimulatedFaults = z.output<typeof simulatedFaultsSchema>;
