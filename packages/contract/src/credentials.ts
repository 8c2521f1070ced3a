import { FCN_CATEGORIES, LICENSE_KINDS } from '@svc/domain/vocabulary';
import { z } from 'zod';
import { arrayOf, calendarDate, fields, identifier, oneOf, responseField, text } from './fields.ts';
import { LIMITS } from './limits.ts';
import { lossLocation } from './people.ts';
import { openEnum, responseObject } from './response-schema.ts';

const FIRST_DATE = '2000-01-01';
const LAST_DATE = '2099-12-31';

const EXPIRES_ON = { description: 'The last day on which it counts.', example: '2027-04-30' };
const expiresOn = () =>
  calendarDate(EXPIRES_ON).refine((date) => FIRST_DATE <= date && date <= LAST_DATE, {
    error: `Must be a date from ${FIRST_DATE} to ${LAST_DATE}.`,
  });

const FCN_NUMBER = { description: 'The Flood Control Number that FEMA has assigned.', example: '0070012345' };
const CATEGORIES = {
  description: 'The kinds of losses for which FEMA has registered the adjuster.',
  example: ['residential', 'manufactured_home'],
};
const CATEGORY = {
  description:
    'residential: dwellings. manufactured_home: mobile homes and travel trailers. small_commercial, large_commercial: the general property form. rcbap: condominium buildings.',
  example: 'residential',
};
const STATE = { description: 'The state or territory that has issued it.', example: 'FL' };
const KIND = { description: 'An emergency license is issued after a catastrophe.', example: 'non_resident' };
const LICENSE_NUMBER = { description: 'The number of the license.', example: 'W482913' };
const FCN = 'The authorization by FEMA for the National Flood Insurance Program.';
const LICENSE = 'A license to adjust claims in a state.';
const LICENSES = 'The licenses by states.';
const EXAMPLE_VERSION = 'Rk1gT3mVbQ2xYz0a';

export const credentialsExample = {
  fcn: { number: FCN_NUMBER.example, categories: CATEGORIES.example, expires_on: '2027-12-31' },
  licenses: [
    {
      ...{ state: STATE.example, kind: KIND.example, number: LICENSE_NUMBER.example },
      expires_on: EXPIRES_ON.example,
    },
  ],
};

export const saveCredentialsBody = fields({
  based_on: text(LIMITS.credentialsVersion, {
    description:
      'The `version` of the credentials that were edited. If they have changed since, the response is `credentials_changed`, unless they already are as requested. Without it, the last request counts.',
    example: EXAMPLE_VERSION,
  }).optional(),
  fcn: fields({
    number: identifier(LIMITS.licenseNumber, FCN_NUMBER),
    categories: arrayOf(
      FCN_CATEGORIES.length,
      oneOf(FCN_CATEGORIES, CATEGORY).meta({ id: 'FcnCategory' }),
      'an array of categories',
      CATEGORIES,
    ),
    expires_on: expiresOn(),
  })
    .meta({ id: 'FcnInput', description: FCN, example: credentialsExample.fcn })
    .optional(),
  licenses: arrayOf(
    LIMITS.licenses,
    fields({
      state: lossLocation.shape.state,
      kind: oneOf(LICENSE_KINDS, KIND).meta({ id: 'LicenseKind' }),
      number: identifier(LIMITS.licenseNumber, LICENSE_NUMBER),
      expires_on: expiresOn(),
    }).meta({ id: 'LicenseInput', description: LICENSE }),
    'an array of licenses',
    { description: LICENSES, example: credentialsExample.licenses },
  ).optional(),
}).meta({
  id: 'SaveCredentialsRequest',
  description: 'All credentials of the adjuster: what is omitted is removed.',
});
export type SaveCredentialsBody = z.output<typeof saveCredentialsBody>;

const shared = {
  fcn: responseObject({
    number: responseField.text(FCN_NUMBER.description, FCN_NUMBER.example),
    categories: z.array(openEnum(FCN_CATEGORIES, CATEGORY)).meta(CATEGORIES),
    expires_on: responseField.date(EXPIRES_ON.description, '2027-12-31'),
  })
    .meta({ id: 'Fcn', description: `${FCN} Omitted if unknown.`, example: credentialsExample.fcn })
    .optional(),
  licenses: z
    .array(
      responseObject({
        state: responseField.text(STATE.description, STATE.example),
        kind: openEnum(LICENSE_KINDS, KIND),
        number: responseField.text(LICENSE_NUMBER.description, LICENSE_NUMBER.example),
        expires_on: responseField.date(EXPIRES_ON.description, EXPIRES_ON.example),
      }).meta({ id: 'License', description: LICENSE }),
    )
    .meta({ description: `${LICENSES} Empty if unknown.`, example: credentialsExample.licenses }),
};

export const credentialsSchema = responseObject({
  version: responseField.text('Changes with the credentials.', EXAMPLE_VERSION),
  ...shared,
}).meta({
  id: 'Credentials',
  description: "The adjuster's credentials. A firm sees them only while the adjuster shares them with it.",
  example: { version: EXAMPLE_VERSION, ...credentialsExample },
});
export type Credentials = z.output<typeof credentialsSchema>;

export const sharedCredentialsSchema = responseObject(shared).meta({
  id: 'SharedCredentials',
  description: 'What the adjuster has entered, and lets the firm see. Nobody has checked it.',
  example: credentialsExample,
});
export type SharedCredentials = z.output<typeof sharedCredentialsSchema>;
