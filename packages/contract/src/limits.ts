import {
  ANSWERS_FOR_MEDIAN,
  DEFAULT_MAX_KEYS,
  IDEMPOTENCY_WINDOW_HOURS,
  INVITATION_LIFETIME_DAYS,
  MAX_ANSWERS_GROUPS,
  MAX_CLOCK_RULES,
  MAX_CONTACTS,
  MAX_COUNTED_CLAIMS,
  MAX_LICENSES,
  MAX_OFFERS_READ,
  MAX_PASSKEYS_PER_ACCOUNT,
  MAX_STAFF_PER_FIRM,
  MAX_VERIFIED_DAYS,
  MAX_WEBHOOK_URL_LENGTH,
  MAX_WEBHOOKS,
} from '@svc/domain/limits';

/** Every limit of the interface. Lengths count Unicode code points. */
export const LIMITS = {
  bodyBytes: 1_048_576,
  /** For operations without authentication. */
  openBodyBytes: 4096,
  /** Of a body, with less than 16 bytes each on average. */
  smallChunks: 65_536,
  openSmallChunks: 1024,
  /** Levels of nested objects and arrays. */
  bodyDepth: 64,
  /** Objects, arrays, and what a comma separates. The largest claim has a quarter of it; each takes 2 µs, in a message 5 µs. */
  bodyValues: 2000,
  /** Of a message of the Model Context Protocol: a claim with all fields of the largest size. */
  messageBytes: 384 * 2 ** 10,
  /** Entries in the `errors` of one response; `open`: for operations without authentication. */
  problemErrors: 100,
  openProblemErrors: 20,
  /** A page of a list ends at its limit or at about `bytes`, whichever comes first. */
  page: { default: 50, min: 1, max: 200, bytes: 2 * 2 ** 20 },
  /** The same for tools of the Model Context Protocol, whose responses are read by language models. */
  toolPage: { default: 10, min: 1, max: 50, bytes: 256 * 2 ** 10 },
  cursor: { min: 1, max: 512 },
  /** Characters of a file of claims, with what a body needs besides. */
  importText: { min: 1, max: 900_000 },
  importRows: 2000,
  /** Of a workbook, unpacked: rows with 50 columns. It takes less than a second. */
  importWorkbookBytes: 16 * 2 ** 20,
  importSheet: { min: 1, max: 255 },
  /** Instead of `bodyValues`, and of the cells of a text: rows with 50 columns. Each takes less than 1 µs. Members are not among them. */
  importValues: 100_000,
  importRow: { min: 1, max: 1_000_000 },
  importColumn: { min: 0, max: 200 },
  /** Of one request. */
  spreadClaims: 250,
  spreadAdjusters: 50,
  spreadGiven: { min: 0, max: 100_000 },
  importName: { min: 1, max: 100 },
  importFileName: { min: 1, max: 255 },
  /** Rows of one request. */
  importCheckedRows: 500,
  importSentRows: 50,
  /** A response ends with the row that brings its problems to this number. */
  importProblems: 1000,
  idempotencyKey: { min: 1, max: 255 },
  idempotencyWindowHours: IDEMPOTENCY_WINDOW_HOURS,
  invitationExpiryDays: INVITATION_LIFETIME_DAYS,
  externalId: { min: 1, max: 100 },
  claimNumber: { min: 1, max: 100 },
  policyNumber: { min: 1, max: 100 },
  svcId: { min: 1, max: 128 },
  invitationBatch: 500,
  fileNumber: { min: 1, max: 100 },
  instructions: { min: 1, max: 4000 },
  additionalContacts: 20,
  personName: { min: 1, max: 100 },
  /** First and last name together. */
  fullName: { min: 1, max: 200 },
  staffPerFirm: MAX_STAFF_PER_FIRM,
  /** Of a firm, in each environment, unless the operator has raised it. */
  workingKeys: DEFAULT_MAX_KEYS,
  keyName: { min: 1, max: 100 },
  keyId: { min: 1, max: 100 },
  keyLifetimeDays: { min: 1, max: 3650 },
  keyOverlapHours: { min: 0, max: 720 },
  errorCode: { min: 1, max: 100 },
  routePath: { min: 1, max: 200 },
  auditText: { min: 1, max: 200 },
  auditVerificationDays: MAX_VERIFIED_DAYS,
  webhooksPerEnvironment: MAX_WEBHOOKS,
  webhookUrl: { min: 1, max: MAX_WEBHOOK_URL_LENGTH },
  webhookOverlapHours: 24,
  uuid: { min: 36, max: 36 },
  companyName: { min: 1, max: 255 },
  /** With an extension. */
  phone: { min: 1, max: 40 },
  carrierPhone: { min: 1, max: 20 },
  email: { min: 3, max: 255 },
  street: { min: 1, max: 255 },
  city: { min: 1, max: 100 },
  county: { min: 1, max: 100 },
  contactRole: { min: 1, max: 100 },
  agencyNumber: { min: 1, max: 50 },
  loanNumber: { min: 1, max: 50 },
  lossDescription: { min: 1, max: 4000 },
  catastropheCode: { min: 1, max: 20 },
  ficoNumber: { min: 1, max: 20 },
  waterDepthInches: { min: 0, max: 1200 },
  waterDurationHours: { min: 0, max: 8760 },
  communityNumber: { min: 1, max: 20 },
  mapPanelNumber: { min: 1, max: 20 },
  numberOfUnits: { min: 1, max: 100_000 },
  firstFloorHeightFeet: { min: 0, max: 1000 },
  firstFloorHeightInches: { min: 0, max: 11 },
  floodOpeningCount: { min: 0, max: 100_000 },
  amount: { min: 0, max: 9_999_999_999.99, decimals: 2 },
  rate: { min: 0, max: 1 },
  priceList: { min: 1, max: 50 },
  invitedAs: { min: 1, max: 200 },
  invitedBy: { min: 1, max: 200 },
  purpose: { min: 1, max: 500 },
  note: { min: 1, max: 1000 },
  rejectionReason: { min: 1, max: 1000 },
  closureReason: { min: 1, max: 1000 },
  workNotes: { min: 1, max: 4000 },
  workVersion: { min: 1, max: 64 },
  contactId: { min: 1, max: 64 },
  contactNote: { min: 1, max: 500 },
  contactsPerClaim: MAX_CONTACTS,
  /** Requests that one simulated fault affects, and the delay of `slow`. */
  faultCount: { min: 1, max: 100 },
  slowFaultMs: 3000,
  awayPeriods: 10,
  licenses: MAX_LICENSES,
  licenseNumber: { min: 1, max: 40 },
  credentialsVersion: { min: 1, max: 64 },
  openOffers: { min: 1, max: 1000 },
  timeZone: { min: 1, max: 64 },
  clockRules: MAX_CLOCK_RULES,
  clockHours: { min: 1, max: 8760 },
  clockDays: { min: 1, max: 365 },
  clocksVersion: { min: 1, max: 64 },
  deadlineHours: { min: 1, max: 26_280 },
  deadlineSource: { min: 1, max: 300 },
  deviceId: { min: 1, max: 128 },
  deviceName: { min: 1, max: 100 },
  signInSecret: { min: 1, max: 255 },
  clientSecret: { min: 32, max: 128 },
  signInTicket: { min: 1, max: 128 },
  passkeysPerAccount: MAX_PASSKEYS_PER_ACCOUNT,
  passkeyName: { min: 1, max: 100 },
  credentialId: { min: 1, max: 1400 },
  clientData: { min: 1, max: 2000 },
  attestationObject: { min: 1, max: 20_000 },
  authenticatorData: { min: 1, max: 1400 },
  passkeySignature: { min: 1, max: 1400 },
  passkeyTransports: 10,
  passkeyTransport: { min: 1, max: 50 },
  pushEndpoint: { min: 1, max: 2048 },
  pushKey: { min: 1, max: 255 },
  /** Of the firm's desk. */
  search: { min: 1, max: 100 },
  offerHistory: MAX_OFFERS_READ,
  boardCount: MAX_COUNTED_CLAIMS,
  answersForMedian: ANSWERS_FOR_MEDIAN,
  reportDays: { default: 30, max: 400 },
  reportRows: MAX_ANSWERS_GROUPS,
} as const;

/** Token bucket per key: `burst` is its capacity, and it refills at the rate per minute. */
export { DEFAULT_LIMITS as RATES } from '@svc/domain/limits';

/** Requests per minute of one session of the adjuster app. */
export const SESSION_REQUESTS_PER_MINUTE = 6000;

/** Requests per minute from one IP address before the edge proxy responds with 429. */
export const EDGE_REQUESTS_PER_MINUTE = 600;
