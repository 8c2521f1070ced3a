import type { AppClaim } from '@svc/contract';

// What the screens rely on. A value of another shape comes from another release, in this app or in the service.

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with these texts. */
const has = (value: unknown, ...names: readonly string[]): value is Fields =>
  isObject(value) && names.every((name) => typeof value[name] === 'string');

const areAll = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);

const isMissingOr = (value: unknown, isValid: (value: unknown) => boolean): boolean =>
  value === undefined || isValid(value);

export const isClaim = (value: unknown): value is AppClaim =>
  has(value, 'id', 'claim_number', 'offered_at') &&
  (value.closed_at === null || typeof value.closed_at === 'string') &&
  has(value.firm, 'id', 'name') &&
  has(value.assignment, 'status') &&
  has(value.loss, 'date') &&
  has(value.loss_location, 'street', 'city', 'state', 'zip') &&
  [value.policyholder, value.policy, value.carrier].every(isObject) &&
  [value.building, value.coverages, value.estimate, value.agent, value.mortgagee].every((part) =>
    isMissingOr(part, isObject),
  ) &&
  isMissingOr(value.additional_contacts, (contacts) => areAll(contacts, isObject)) &&
  isObject(value.work) &&
  isMissingOr(value.work.contacts, (contacts) => areAll(contacts, (one) => has(one, 'id', 'at', 'result')));

const isListOf =
  (isOne: (one: unknown) => boolean) =>
  (value: unknown): boolean =>
    areAll(value, isOne);
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isText = (value: unknown): boolean => typeof value === 'string';

const areTexts = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);

/** Of the stored values that are read without a look at their parts. */
const STORED: Readonly<Record<string, (value: unknown) => boolean>> = {
  profile: (value) =>
    has(value, 'svc_id') && areAll(value.firms, (firm) => has(firm, 'firm_id', 'firm_name')),
  offers: isListOf(isClaim),
  accepted: isListOf(isClaim),
  closed: isListOf(isClaim),
  invitations: isListOf(
    (one) => has(one, 'firm_id', 'firm_name', 'expires_at') && areAll(one.missing_profile_fields, isText),
  ),
  readAt: isNumber,
  revision: isText,
  changesSince: isText,
  outbox: isListOf(
    (one) => has(one, 'id', 'key', 'kind', 'owner') && (one.kind !== 'answer' || isObject(one.offer)),
  ),
  refused: isListOf(isText),
  outcomes: isListOf((one) => has(one, 'claimId', 'result', 'title')),
  history: isListOf((one) => has(one, 'claimId', 'claimNumber', 'offeredAt')),
  rejections: (value) => isObject(value) && Object.values(value).every((typed) => has(typed, 'freeText')),
  contactNotes: areTexts,
  fields: areTexts,
  arrangement: (value) => has(value, 'grouping', 'order', 'search'),
  stops: isListOf(isText),
  deadlines: isListOf(isObject),
  origin: (value) => isObject(value) && isNumber(value.latitude) && isNumber(value.longitude),
};

/** Whether a stored value can be shown. */
export const isStoredShape = (name: string, value: unknown): boolean =>
  value === undefined || (STORED[name]?.(value) ?? true);
