// The words that rules, interface and storage share. Requests accept only these values, and responses may have more in the
// future. Names may be added; those that are stored or returned never change. Lists of lists are calls that bundlers can leave out:
// they would keep a list with a spread in every page.

/** The flood zones on FEMA's maps: 36 A zones, 32 V zones and four others. */
export const FLOOD_ZONES = /* @__PURE__ */ (() =>
  [
    'A',
    'AE',
    ...numbered('A', 30),
    'A99',
    'AH',
    'AO',
    'AR',
    'V',
    'VE',
    ...numbered('V', 30),
    'B',
    'C',
    'D',
    'X',
  ] as const)();
export type FloodZone = (typeof FLOOD_ZONES)[number];

function numbered<Letter extends string>(letter: Letter, last: number): `${Letter}${number}`[] {
  return Array.from({ length: last }, (_, index) => `${letter}${index + 1}` as const);
}

/** The nine occupancies of FEMA's Risk Rating 2.0, by class. */
export const RESIDENTIAL_OCCUPANCY_TYPES = [
  'single_family_home',
  'residential_manufactured_home',
  'residential_unit',
  'two_to_four_family_building',
  'other_residential_building',
  'residential_condominium_building',
] as const;
export const NON_RESIDENTIAL_OCCUPANCY_TYPES = [
  'non_residential_building',
  'non_residential_manufactured_building',
  'non_residential_unit',
] as const;
export const OCCUPANCY_TYPES = /* @__PURE__ */ (() =>
  [...RESIDENTIAL_OCCUPANCY_TYPES, ...NON_RESIDENTIAL_OCCUPANCY_TYPES] as const)();
export type OccupancyType = (typeof OCCUPANCY_TYPES)[number];

/** OpenFEMA's building description codes by class; "other" is split in two. */
export const RESIDENTIAL_BUILDING_TYPES = [
  'main_dwelling',
  'detached_guest_house',
  'apartment_building',
  'apartment_unit',
  'cooperative_building',
  'cooperative_unit',
  'condominium_building',
  'condominium_unit',
  'townhouse_rowhouse',
  'other_residential',
] as const;
export const NON_RESIDENTIAL_BUILDING_TYPES = [
  'detached_garage',
  'agricultural_building',
  'warehouse',
  'recreation_building',
  'storage_shed',
  'barn',
  'commercial_building',
  'house_of_worship',
  'manufactured_home',
  'travel_trailer',
  'other_non_residential',
] as const;
export const BUILDING_TYPES = /* @__PURE__ */ (() =>
  [...RESIDENTIAL_BUILDING_TYPES, ...NON_RESIDENTIAL_BUILDING_TYPES] as const)();
export type BuildingType = (typeof BUILDING_TYPES)[number];

export const FIRM_STATUSES = ['pre_firm', 'post_firm'] as const;
export type FirmStatus = (typeof FIRM_STATUSES)[number];

export const CONSTRUCTION_TYPES = ['framed', 'masonry', 'other'] as const;
export type ConstructionType = (typeof CONSTRUCTION_TYPES)[number];

/** Possible states of an insured property: the 50 states, the District of Columbia and five territories. */
export const LOSS_LOCATION_STATES = [
  ...['AL', 'AK', 'AZ', 'AR', 'CA', 'CO', 'CT', 'DE', 'FL', 'GA', 'HI', 'ID', 'IL', 'IN', 'IA', 'KS'],
  ...['KY', 'LA', 'ME', 'MD', 'MA', 'MI', 'MN', 'MS', 'MO', 'MT', 'NE', 'NV', 'NH', 'NJ', 'NM', 'NY'],
  ...['NC', 'ND', 'OH', 'OK', 'OR', 'PA', 'RI', 'SC', 'SD', 'TN', 'TX', 'UT', 'VT', 'VA', 'WA', 'WV'],
  ...['WI', 'WY', 'DC', 'AS', 'GU', 'MP', 'PR', 'VI'],
] as const;

/** Possible states of a postal address: also the freely associated states and the armed forces. */
export const MAILING_STATES = /* @__PURE__ */ (() =>
  [...LOSS_LOCATION_STATES, 'FM', 'MH', 'PW', 'AA', 'AE', 'AP'] as const)();

export const PERILS = ['flood'] as const;
export type Peril = (typeof PERILS)[number];

export const LOSS_CAUSES = [
  'tidal_water_overflow',
  'stream_river_lake_overflow',
  'alluvial_fan_overflow',
  'rainfall_snowmelt_accumulation',
  'earth_movement',
  'closed_basin_lake',
  'other',
] as const;
export type LossCause = (typeof LOSS_CAUSES)[number];

export const FORM_TYPES = ['dwelling', 'general_property', 'rcbap'] as const;
export type FormType = (typeof FORM_TYPES)[number];

export const PROGRAM_TYPES = ['regular', 'emergency'] as const;
export type ProgramType = (typeof PROGRAM_TYPES)[number];

export const SETTLEMENT_BASES = ['replacement_cost', 'actual_cash_value'] as const;
export type SettlementBasis = (typeof SETTLEMENT_BASES)[number];

export const ASSIGNMENT_STATUSES = ['pending_acceptance', 'accepted', 'rejected', 'unassigned'] as const;
export type AssignmentStatus = (typeof ASSIGNMENT_STATUSES)[number];

/** The statuses of an adjuster that a firm can see. */
export const ADJUSTER_STATUSES = ['pending', 'active', 'declined', 'expired', 'withdrawn'] as const;
export type AdjusterStatus = (typeof ADJUSTER_STATUSES)[number];

/** What a firm should know before it offers a claim to an adjuster. None of it rejects the offer. */
export const ADJUSTER_WARNINGS = [
  'license_missing',
  'license_expires',
  'fcn_category',
  'limit_reached',
] as const;
export type AdjusterWarning = (typeof ADJUSTER_WARNINGS)[number];

/** What became of an SVCID of a batch of invitations: those that are no invitation are the errors of a single one. */
export const INVITATION_OUTCOMES = [
  'invited',
  'invitation_pending',
  'already_member',
  'unknown_osaid',
  'environment_mismatch',
  'duplicate',
] as const;

/** Status filters of the adjuster's list of claims. */
export const APP_CLAIM_STATUSES = ['pending_acceptance', 'accepted', 'closed'] as const;

/** Of an attempt to reach the policyholder. */
/** `inspected`: the property was inspected. */
export const CONTACT_RESULTS = ['reached', 'left_message', 'no_answer', 'inspected'] as const;
export type ContactResult = (typeof CONTACT_RESULTS)[number];

/** Kinds of losses for which FEMA registers adjusters of the NFIP. */
export const FCN_CATEGORIES = [
  'residential',
  'manufactured_home',
  'small_commercial',
  'large_commercial',
  'rcbap',
] as const;
export type FcnCategory = (typeof FCN_CATEGORIES)[number];
export const LICENSE_KINDS = ['resident', 'non_resident', 'emergency'] as const;
export type LicenseKind = (typeof LICENSE_KINDS)[number];

/** What an account needs before an invitation can be accepted. */
export const PROFILE_FIELDS = ['first_name', 'last_name', 'email'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

export const SCOPES = [
  'claims:create',
  'claims:read',
  'claims:write',
  'adjusters:read',
  'adjusters:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key is for. */
export const KEY_PURPOSES = ['full_access', 'claims', 'adjusters', 'read_only'] as const;
export type Purpose = (typeof KEY_PURPOSES)[number];

/** What separates the cells of a file of claims. */
export const DELIMITER_NAMES = ['comma', 'semicolon', 'tab', 'pipe'] as const;
/** Of dates such as 8/9/2026. */
export const DATE_ORDERS = ['mdy', 'dmy'] as const;

export const STAFF_ROLES = ['admin', 'dispatcher', 'developer', 'auditor'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** What the firm's desk lets a person do: the scopes of keys, and what firms manage by themselves. */
export const STAFF_PERMISSIONS = /* @__PURE__ */ (() =>
  [
    ...SCOPES,
    'reports:read',
    'imports:read',
    'imports:write',
    'clocks:write',
    'keys:read',
    'keys:write',
    'requests:read',
    'webhooks:read',
    'webhooks:write',
    'sandbox:write',
    'readiness:read',
    'audit:read',
    'staff:read',
    'staff:write',
  ] as const)();
export type StaffPermission = (typeof STAFF_PERMISSIONS)[number];

/** What the audit trail records. */
export const AUDIT_ACTIONS = [
  'adjuster.create',
  'adjuster.disable',
  'adjuster.enable',
  'adjusters.read',
  'audit.export',
  'audit.purge',
  'audit.read',
  'audit.verify',
  'availability.change',
  'carrier.change',
  'carrier.remove',
  'claim.accept',
  'claim.close',
  'claim.offer',
  'claim.push',
  'claim.push_withdrawn',
  'claim.read',
  'claim.reject',
  'claim.send',
  'claim.withdraw',
  'claim.work',
  'claims.check',
  'claims.import',
  'claims.purge',
  'claims.read',
  'credentials.change',
  'credentials.read',
  'database.backup',
  'database.distribute',
  'database.migrate',
  'database.move',
  'database.restore',
  'deadline.change',
  'email.change',
  'email.confirm',
  'encryption.apply',
  'encryption.rotate',
  'faults.clear',
  'faults.set',
  'feed.restamp',
  'firm.clocks',
  'firm.create',
  'firm.erase',
  'firm.export',
  'firm.hold',
  'firm.limits',
  'firm.offer_wait',
  'firm.plan',
  'firm.release',
  'imports.read',
  'invitation.accept',
  'invitation.decline',
  'invitation.send',
  'invitation.withdraw',
  'key.create',
  'key.rename',
  'key.revoke',
  'key.roll',
  'keys.read',
  'member.add',
  'member.change',
  'member.leave',
  'member.pause',
  'member.permission',
  'member.remove',
  'member.resume',
  'member.sharing',
  'passkey.add',
  'passkey.remove',
  'passkey.rename',
  'profile.change',
  'readiness.read',
  'report.read',
  'requests.read',
  'session.end',
  'session.open',
  'sessions.end',
  'sign_in',
  'staff.change',
  'staff.invite',
  'staff.read',
  'staff.remove',
  'staff.rename',
  'staff.role',
  'staff.settings',
  'webhook.change',
  'webhook.create',
  'webhook.pause',
  'webhook.remove',
  'webhook.replay',
  'webhook.resume',
  'webhook.roll',
  'webhook.test',
  'webhooks.read',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Failures that a firm can simulate with a test key. */
export const FAULT_KINDS = [
  'rate_limited',
  'internal_error',
  'service_unavailable',
  'slow',
  'dropped',
  'dropped_write',
  'unknown_value',
  'short_page',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];
/** In place of the status of a pending claim: new values may be added at any time. */
export const SIMULATED_STATUS = 'simulated_new_status';

/** Live and test data of a firm are separate; each key belongs to one environment. */
export const ENVIRONMENTS = ['live', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const DEADLINE_KINDS = ['first_contact', 'inspection', 'preliminary_report', 'proof_of_loss'] as const;
export type DeadlineKind = (typeof DEADLINE_KINDS)[number];
/** `assignment`: the adjuster's acceptance. `contact`: the first contact. `loss`: the end of the date of loss. */
export const DEADLINE_STARTS = ['assignment', 'contact', 'loss'] as const;

/** What is checked of a firm's integration, in the order in which it is shown. */
export const READINESS_CHECKS = [
  'idempotency_keys',
  'lost_writes',
  'duplicates',
  'retry_after',
  'back_off',
  'cursors',
  'poll_gaps',
  'poll_overlap',
  'unread_changes',
  'second_outcomes',
  'unknown_values',
  'rejected_requests',
] as const;
export type ReadinessCheckId = (typeof READINESS_CHECKS)[number];

/** Orders of the desk's board. */
export const BOARD_ORDERS = ['waiting', 'latest'] as const;
/** How an offer ended; `pending` while it has not. */
export const OFFER_OUTCOMES = [
  'pending',
  'accepted',
  'rejected',
  'unassigned',
  'withdrawn',
  'closed',
] as const;
export type OfferOutcome = (typeof OFFER_OUTCOMES)[number];
/** Who makes offers. */
export const OFFERER_TYPES = ['staff', 'key'] as const;
/** What a report groups offers by. */
export const REPORT_GROUPS = ['adjuster', 'week', 'carrier'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/**
 * What became of a notification. `unauthorized`: the push service rejects the keys of this installation, which an operator can
 * correct. `rejected`: it rejects the message, and would again. `gone`: the subscription has ended, and the device is removed.
 */
export const DELIVERY_OUTCOMES = ['delivered', 'gone', 'retried', 'unauthorized', 'rejected'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** What a firm's endpoint is sent. `claims.changed` names no claim: the endpoint polls from `updated_since`. */
export const WEBHOOK_TYPES = ['claims.changed', 'webhook.test'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];
export const WEBHOOK_STATES = ['active', 'paused'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];
/** `requested`: by a person. `gone`: the endpoint answered 410. `failing`: every attempt of three days failed. */
export const WEBHOOK_PAUSE_REASONS = ['requested', 'gone', 'failing'] as const;
export type WebhookPauseReason = (typeof WEBHOOK_PAUSE_REASONS)[number];
/** Of a delivery. */
export const WEBHOOK_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];
/** Why there was no response. */
export const WEBHOOK_ERRORS = [
  'timeout',
  'connection_failed',
  'name_not_resolved',
  'tls_failed',
  'private_address',
] as const;
export type WebhookError = (typeof WEBHOOK_ERRORS)[number];

/** Characters that are not seen, for a regular expression with `u`; no Unicode property covers U+2800 and U+FFF9 to U+FFFB. */
export const INVISIBLE_CHARACTER = '[\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb]';

/** Rules that a value of the request breaks: reported like an invalid field, where the operation says. */
export const FIELD_ERRORS = [
  'already_rolled',
  'building_pair_refused',
  'clock_rules_repeated',
  'code_refused',
  'contact_log_full',
  'email_taken',
  'import_environment_differs',
  'key_revoked',
  'passkey_refused',
  'policy_term_reversed',
  'staff_exists',
  'too_many_keys',
  'too_many_staff',
  'too_many_webhooks',
  'webhook_url_refused',
] as const;
export type FieldErrorCode = (typeof FIELD_ERRORS)[number];
