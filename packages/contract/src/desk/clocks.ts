import { z } from 'zod';
import { endpoint, named } from '../endpoint.ts';
import {
  arrayOf,
  fields,
  integer,
  nonBlankText,
  presenceRule,
  responseField,
  text,
  timeZone,
} from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { STAFF_REQUEST, staffRead, staffWrite, WITH_BODY } from '../requests.ts';
import { responseFields, responseObject } from '../response-schema.ts';

const clockRule = {
  carrier: nonBlankText(LIMITS.companyName, {
    description: 'Only claims of this carrier, without regard to case and spacing; absent: of every carrier.',
    example: 'Palmetto Mutual Insurance',
  }).optional(),
  cat_code: text(LIMITS.catastropheCode, {
    description: 'Only claims with this `loss.cat_code`; absent: of every event.',
    example: 'FL26-09',
  }).optional(),
  contact_hours: integer(LIMITS.clockHours, {
    description: 'Within how many hours of the acceptance the policyholder is to be reached; absent: 24.',
    example: 12,
  }).optional(),
  inspection_hours: integer(LIMITS.clockHours, {
    description: 'Within how many hours of the first contact the property is to be inspected; absent: 48.',
    example: 48,
  }).optional(),
  report_days: integer(LIMITS.clockDays, {
    description:
      'Within how many days of the acceptance the preliminary report is due, on the calendar; absent: 15.',
    example: 3,
  }).optional(),
};
const time_zone = timeZone({
  description: 'IANA name of the time zone on whose calendar days are counted; UTC until it is set.',
  example: 'America/Chicago',
});
const EXAMPLE_VERSION = 'q1ZKTs4sSVWyUjIy';

const TIMES = ['contact_hours', 'inspection_hours', 'report_days'];

const clockRuleBody = presenceRule((isPresent) =>
  TIMES.some(isPresent) ? [] : [{ path: [], detail: `Must have at least one of ${TIMES.join(', ')}.` }],
)(fields(clockRule)).meta({
  id: 'ClockRuleInput',
  description: 'What the firm owes for some of its claims.',
});

const updateClocksBody = fields({
  rules: arrayOf(LIMITS.clockRules, clockRuleBody, `an array of at most ${LIMITS.clockRules} rules`, {
    description: 'All rules: those that are left out are removed.',
    example: [{ carrier: 'Palmetto Mutual Insurance', contact_hours: 12 }],
  }),
  time_zone: time_zone.optional(),
  based_on: text(LIMITS.clocksVersion, {
    description:
      'The `version` of the rules that were edited. If they have changed since, the response is clocks_changed. Without it, the last request counts.',
    example: EXAMPLE_VERSION,
  }).optional(),
}).meta({ id: 'UpdateClocksRequest', description: 'The rules of the firm.' });

export const clocksSchema = responseObject({
  rules: z
    .array(
      responseObject(responseFields(clockRule)).meta({
        id: 'ClockRule',
        description: 'What the firm owes for some of its claims.',
      }),
    )
    .meta({
      description:
        'Of the rules for a claim, the most specific one that has a time sets it: first those of a carrier and an event, then of a carrier, of an event, of all.',
      example: [],
    }),
  ...responseFields({ time_zone }),
  version: responseField.text(
    'Stands for the rules: equal rules have equal versions. Send it as `based_on` with a change.',
    EXAMPLE_VERSION,
  ),
}).meta({
  id: 'Clocks',
  description: 'Within what times a firm owes its carriers contact, inspection and report.',
});

/** What the firm owes its carriers. */
export const clockEndpoints = named({
  getClocks: endpoint({
    ...staffRead('claims:read'),
    method: 'GET',
    path: '/firm/v1/clocks',
    audit: null,
    summary: 'Get the clocks',
    description:
      'The rules of the firm by carrier and event. Without a rule, the times of the program apply.',
    success: { status: 200, schema: clocksSchema, description: 'The rules.' },
    problems: STAFF_REQUEST,
  }),
  updateClocks: endpoint({
    ...staffWrite('clocks:write'),
    method: 'PUT',
    path: '/firm/v1/clocks',
    audit: 'firm.clocks',
    summary: 'Set the clocks',
    description:
      'Replaces the rules. They apply at once, also to claims that were accepted before; phones learn of them when they next read their claims.',
    body: updateClocksBody,
    pointers: { clock_rules_repeated: '/rules' },
    success: { status: 200, schema: clocksSchema, description: 'The rules.' },
    problems: [...WITH_BODY, ...STAFF_REQUEST, 'clocks_changed'],
  }),
});
