import { email, fields, identifier, nonBlankText, oneOf, phone, presence, text, zip } from './fields.ts';
import { LIMITS } from './limits.ts';
import { LOSS_LOCATION_STATES, MAILING_STATES } from './vocabulary.ts';

// The people and places that a claim names. All of them share their parts.

const street = () =>
  nonBlankText(LIMITS.street, { description: 'Street and house number.', example: '1420 Seagrape Lane' });

const city = () => nonBlankText(LIMITS.city, { description: 'City or town.', example: 'Fort Myers Beach' });

const lossLocationState = () =>
  oneOf(
    LOSS_LOCATION_STATES,
    { description: 'State or territory, as its two-letter USPS code.', example: 'FL' },
    'a two-letter USPS code in capitals: a state, DC, AS, GU, MP, PR or VI',
  );

const mailingState = () =>
  oneOf(
    MAILING_STATES,
    { description: 'State, territory or military region, as its two-letter USPS code.', example: 'FL' },
    'a two-letter USPS code in capitals: a state, DC, a territory, a freely associated state, AA, AE or AP',
  );

const zipCode = () => zip({ description: 'Five-digit ZIP code or ZIP+4, as text.', example: '33931-4207' });

const ADDRESS_EXAMPLE = { street: '200 Harbor Plaza', city: 'Tampa', state: 'FL', zip: '33602' };

const mailingAddress = (description: string) =>
  fields({ street: street(), city: city(), state: mailingState(), zip: zipCode() }).meta({
    description: `${description} All four parts, or no address.`,
    example: ADDRESS_EXAMPLE,
  });

const contactParts = () => ({
  first_name: nonBlankText(LIMITS.personName, {
    description: 'First name; goes with last_name.',
    example: 'Marisol',
  }).optional(),
  last_name: nonBlankText(LIMITS.personName, {
    description: 'Last name; goes with first_name.',
    example: 'Delgado',
  }).optional(),
  company_name: nonBlankText(LIMITS.companyName, {
    description: 'Name of the company.',
    example: 'Gulf Shore Rentals LLC',
  }).optional(),
  phone: phone({
    description: 'Telephone number, with at least one digit.',
    example: '239-555-0142',
  }).optional(),
  email: email({ description: 'Email address.', example: 'marisol.delgado@example.com' }).optional(),
  address: mailingAddress('Postal address.').optional(),
});

type Present = (name: string) => boolean;

const NAME_FORMS = 'first_name and last_name, or company_name, or all three';

/** A full personal name, a company, or both; half a personal name names nobody. */
function nameFindings(present: Present) {
  const [first, last] = [present('first_name'), present('last_name')];
  if (first && !last)
    return [{ path: ['last_name'], detail: `This field is required beside first_name: send ${NAME_FORMS}.` }];
  if (last && !first)
    return [{ path: ['first_name'], detail: `This field is required beside last_name: send ${NAME_FORMS}.` }];
  return first || present('company_name')
    ? []
    : [{ path: [], detail: `Must have a name: send ${NAME_FORMS}.` }];
}

const reachFindings = (present: Present) =>
  present('phone') || present('email')
    ? []
    : [{ path: [], detail: 'Must have a way to be reached: send phone or email, or both.' }];

const NAME_KEYWORDS = {
  anyOf: [{ required: ['first_name', 'last_name'] }, { required: ['company_name'] }],
  dependentRequired: { first_name: ['last_name'], last_name: ['first_name'] },
};

const named = presence(nameFindings);

export const policyholder = presence((present) => [...nameFindings(present), ...reachFindings(present)])(
  fields({
    ...contactParts(),
    mailing_address: mailingAddress('Where the policyholder receives mail.').optional(),
    alternate_phone: phone({
      description: 'Another telephone number to try.',
      example: '239-555-0188',
    }).optional(),
  }),
).meta({
  description: 'Who holds the policy: a full personal name, a company, or both; and a phone or an email.',
  example: { first_name: 'Marisol', last_name: 'Delgado', phone: '239-555-0142' },
  dependentRequired: NAME_KEYWORDS.dependentRequired,
  allOf: [{ anyOf: NAME_KEYWORDS.anyOf }, { anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
});

export const agent = named(
  fields({
    ...contactParts(),
    agency_number: text(LIMITS.agencyNumber, {
      description: "The agency's number with the carrier.",
      example: 'A-20417',
    }).optional(),
  }),
).meta({
  description: 'Agent or agency on the policy: a full personal name, a company, or both.',
  example: { company_name: 'Estero Bay Insurance', phone: '239-555-0170', agency_number: 'A-20417' },
  ...NAME_KEYWORDS,
});

export const mortgagee = named(
  fields({
    ...contactParts(),
    loan_number: text(LIMITS.loanNumber, {
      description: 'Number of the loan.',
      example: '0048812237',
    }).optional(),
  }),
).meta({
  description: 'Who holds the mortgage on the property: a full personal name, a company, or both.',
  example: { company_name: 'First Coast Mortgage', loan_number: '0048812237' },
  ...NAME_KEYWORDS,
});

export const additionalContact = named(
  fields({
    ...contactParts(),
    role: text(LIMITS.contactRole, {
      description: 'What the contact has to do with the claim, in free text.',
      example: 'Tenant',
    }).optional(),
  }),
).meta({
  description: 'Another person or company involved: a full personal name, a company, or both.',
  example: { first_name: 'Ray', last_name: 'Okafor', phone: '239-555-0121', role: 'Tenant' },
  ...NAME_KEYWORDS,
});

export const carrier = fields({
  name: nonBlankText(LIMITS.companyName, {
    description: 'The insurance company. Details are kept under this name.',
    example: 'Palmetto Mutual Insurance',
  }),
  phone: phone({
    description: "The carrier's telephone number; prints on the forms.",
    example: '813-555-0100',
  }).optional(),
  email: email({
    description: "The carrier's email address; prints on the forms.",
    example: 'claims@palmetto.example.com',
  }).optional(),
  address: mailingAddress("The carrier's postal address; prints on the forms.").optional(),
}).meta({
  description: 'The insurance company. Only the name is required; the other details print on the forms.',
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
  description: 'Where the insured property stands. A legal description may take the place of the street.',
  example: { street: '1420 Seagrape Lane', city: 'Fort Myers Beach', state: 'FL', zip: '33931' },
});

/** The SVCID: the account id that an adjuster holds. */
export const svcId = () =>
  text(LIMITS.svcId, {
    description: "The adjuster's SVCID. Capital and small letters differ.",
    example: 'SVC-7F3K-Delacroix',
  });

export const externalId = () =>
  identifier(LIMITS.externalId, {
    description: "The firm's own id of the claim. Unique within the firm and environment, and never changed.",
    example: 'CMS-2026-004417',
  });
