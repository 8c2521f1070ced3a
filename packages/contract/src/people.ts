import { LOSS_LOCATION_STATES, MAILING_STATES } from '@svc/domain/vocabulary';
import {
  email,
  fields,
  identifier,
  nonBlankText,
  type oneOf,
  oneOfWithHint,
  phone,
  presenceRule,
  text,
  zip,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { redescribed } from './response-schema.ts';
import { intendedState } from './states.ts';

const street = () =>
  nonBlankText(LIMITS.street, { description: 'Street and house number.', example: '1420 Seagrape Lane' });

const city = () => nonBlankText(LIMITS.city, { description: 'City or town.', example: 'Fort Myers Beach' });

const lossLocationState = () =>
  state(
    LOSS_LOCATION_STATES,
    { id: 'State', description: 'Two-letter USPS code of the state or territory.', example: 'FL' },
    'an uppercase two-letter USPS code of a state, DC, AS, GU, MP, PR or VI',
  );

const state = <const Code extends string>(
  codes: readonly Code[],
  meta: Parameters<typeof oneOf>[1],
  what: string,
) =>
  oneOfWithHint(codes, meta, what, (sent) => {
    const intended = intendedState(codes, sent);
    return intended === null ? `Must be ${what}.` : `Must be ${what}; did you mean ${intended}?`;
  });

const mailingState = () =>
  state(
    MAILING_STATES,
    {
      id: 'MailingState',
      description: 'Two-letter USPS code of the state, territory or military region.',
      example: 'FL',
    },
    'an uppercase two-letter USPS code of a state, DC, a territory, a freely associated state, AA, AE or AP',
  );

const zipCode = () =>
  zip({ description: 'Five-digit ZIP code or ZIP+4, as a string.', example: '33931-4207' });

const address = fields({ street: street(), city: city(), state: mailingState(), zip: zipCode() }).meta({
  id: 'AddressInput',
  description: 'A postal address. All four fields are required.',
  example: { street: '200 Harbor Plaza', city: 'Tampa', state: 'FL', zip: '33602' },
});

const mailingAddress = (description: string) =>
  redescribed(address, `${description} All four fields are required.`);

const contactParts = () => ({
  first_name: nonBlankText(LIMITS.personName, {
    description: 'First name; requires last_name.',
    example: 'Marisol',
  }).optional(),
  last_name: nonBlankText(LIMITS.personName, {
    description: 'Last name; requires first_name.',
    example: 'Delgado',
  }).optional(),
  company_name: nonBlankText(LIMITS.companyName, {
    description: 'Company name.',
    example: 'Gulf Shore Rentals LLC',
  }).optional(),
  phone: phone({
    description: 'Phone number with at least one digit; an extension fits.',
    example: '239-555-0142',
  }).optional(),
  email: email({ description: 'Email address.', example: 'marisol.delgado@example.com' }).optional(),
  address: mailingAddress('Postal address.').optional(),
});

type IsPresent = (name: string) => boolean;

const NAME_FORMS = 'first_name and last_name, or company_name, or all three';

function nameErrors(present: IsPresent) {
  const [first, last] = [present('first_name'), present('last_name')];
  if (first && !last)
    return [{ path: ['last_name'], detail: `This field is required with first_name. Send ${NAME_FORMS}.` }];
  if (last && !first)
    return [{ path: ['first_name'], detail: `This field is required with last_name. Send ${NAME_FORMS}.` }];
  return first || present('company_name')
    ? []
    : [{ path: [], detail: `A name is required. Send ${NAME_FORMS}.` }];
}

const contactErrors = (present: IsPresent) =>
  present('phone') || present('email')
    ? []
    : [{ path: [], detail: 'Contact details are required. Send phone or email, or both.' }];

// Not as `anyOf`: code generators turn it into a union or `any`.
const NAME_KEYWORDS = { dependentRequired: { first_name: ['last_name'], last_name: ['first_name'] } };

const withName = presenceRule(nameErrors);

export const policyholder = presenceRule((present) => [...nameErrors(present), ...contactErrors(present)])(
  fields({
    ...contactParts(),
    mailing_address: mailingAddress('Where the policyholder receives mail.').optional(),
    alternate_phone: phone({
      description: 'Alternate phone number.',
      example: '239-555-0188',
    }).optional(),
  }),
).meta({
  id: 'PolicyholderInput',
  description:
    'The policyholder: a first and last name, a company name, or all three; and a phone number, an email address, or both.',
  example: { first_name: 'Marisol', last_name: 'Delgado', phone: '239-555-0142' },
  ...NAME_KEYWORDS,
});

export const agent = withName(
  fields({
    ...contactParts(),
    agency_number: text(LIMITS.agencyNumber, {
      description: "The agency's number with the carrier.",
      example: 'A-20417',
    }).optional(),
  }),
).meta({
  id: 'AgentInput',
  description: 'Agent or agency on the policy: a first and last name, a company name, or all three.',
  example: { company_name: 'Estero Bay Insurance', phone: '239-555-0170', agency_number: 'A-20417' },
  ...NAME_KEYWORDS,
});

export const mortgagee = withName(
  fields({
    ...contactParts(),
    loan_number: text(LIMITS.loanNumber, {
      description: 'Number of the loan.',
      example: '0048812237',
    }).optional(),
  }),
).meta({
  id: 'MortgageeInput',
  description: 'Holder of the mortgage on the property: a first and last name, a company name, or all three.',
  example: { company_name: 'First Coast Mortgage', loan_number: '0048812237' },
  ...NAME_KEYWORDS,
});

export const additionalContact = withName(
  fields({
    ...contactParts(),
    role: text(LIMITS.contactRole, {
      description: 'Role of the contact in the claim; free text.',
      example: 'Tenant',
    }).optional(),
  }),
).meta({
  id: 'ContactInput',
  description: 'Another person or company involved: a first and last name, a company name, or all three.',
  example: { first_name: 'Ray', last_name: 'Okafor', phone: '239-555-0121', role: 'Tenant' },
  ...NAME_KEYWORDS,
});

export const carrier = fields({
  name: nonBlankText(LIMITS.companyName, {
    description: "Name of the insurance company. The firm's carrier book is keyed by it.",
    example: 'Palmetto Mutual Insurance',
  }),
  phone: phone(
    { description: "The carrier's phone number; printed on the forms.", example: '813-555-0100' },
    LIMITS.carrierPhone,
  ).optional(),
  email: email({
    description: "The carrier's email address; printed on the forms.",
    example: 'claims@palmetto.example.com',
  }).optional(),
  address: mailingAddress("The carrier's postal address; printed on the forms.").optional(),
}).meta({
  id: 'CarrierInput',
  description:
    'The insurance company. Only the name is required; phone, email and address are printed on the forms.',
  example: { name: 'Palmetto Mutual Insurance', phone: '813-555-0100' },
});

export const lossLocation = fields({
  street: street(),
  street2: text(LIMITS.street, { description: 'Unit, apartment or lot.', example: 'Unit B' }).optional(),
  city: city(),
  county: text(LIMITS.county, { description: 'County or parish.', example: 'Lee' }).optional(),
  state: lossLocationState(),
  zip: zipCode(),
}).meta({
  id: 'LossLocationInput',
  description:
    'Location of the insured property. If it has no street address, send the legal description as street.',
  example: { street: '1420 Seagrape Lane', city: 'Fort Myers Beach', state: 'FL', zip: '33931' },
});

/** The SVCID is the account id of an adjuster. */
export const svcId = () =>
  text(LIMITS.svcId, {
    description: "The adjuster's SVCID; case-sensitive.",
    example: 'SVC-7F3K-Delacroix',
  });

export const externalId = () =>
  identifier(LIMITS.externalId, {
    description: "The firm's id of the claim. Permanently unique in the firm and environment.",
    example: 'CMS-2026-004417',
  });
