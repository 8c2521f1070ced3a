import { boolean, json, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const firms = pgTable('firms', { id: uuid('id').primaryKey(), name: text('name').notNull() });

export const firmFeeds = pgTable('firm_feeds', {
  firm_id: uuid('firm_id').primaryKey(),
  last_stamp: moment('last_stamp').notNull(),
});

export const apiKeys = pgTable('api_keys', {
  id: text('id').primaryKey(),
  firm_id: uuid('firm_id').notNull(),
  environment: text('environment').notNull(),
  secret_hash: text('secret_hash').notNull(),
  revoked_at: moment('revoked_at'),
});

export const sessions = pgTable('sessions', {
  token_hash: text('token_hash').primaryKey(),
  svc_id: text('svc_id').notNull(),
  expires_at: moment('expires_at').notNull(),
});

export const memberships = pgTable(
  'memberships',
  {
    firm_id: uuid('firm_id').notNull(),
    svc_id: text('svc_id').notNull(),
    status: text('status').notNull(),
    can_accept_claims: boolean('can_accept_claims').notNull(),
    accepting_assignments: boolean('accepting_assignments').notNull(),
  },
  (table) => [primaryKey({ columns: [table.firm_id, table.svc_id] })],
);

export const carriers = pgTable(
  'carriers',
  {
    firm_id: uuid('firm_id').notNull(),
    name_key: text('name_key').notNull(),
    name: text('name').notNull(),
    phone: text('phone'),
    email: text('email'),
    address: json('address'),
  },
  (table) => [primaryKey({ columns: [table.firm_id, table.name_key] })],
);

export const idempotencyRecords = pgTable(
  'idempotency_records',
  {
    firm_id: uuid('firm_id').notNull(),
    environment: text('environment').notNull(),
    key: text('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    claim_id: uuid('claim_id').notNull(),
    bound_at: moment('bound_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.firm_id, table.environment, table.key] })],
);

export const claims = pgTable(
  'claims',
  {
    firm_id: uuid('firm_id').notNull(),
    id: uuid('id').notNull(),
    environment: text('environment').notNull(),
    external_id: text('external_id').notNull(),
    claim_number: text('claim_number').notNull(),
    carrier_key: text('carrier_key').notNull(),
    carrier: json('carrier').notNull(),
    document: json('document').notNull(),
    status: text('status').notNull(),
    adjuster_svc_id: text('adjuster_svc_id').notNull(),
    offered_at: moment('offered_at').notNull(),
    responded_at: moment('responded_at'),
    rejection_reason: text('rejection_reason'),
    created_at: moment('created_at').notNull(),
    updated_at: moment('updated_at').notNull(),
    closed_at: moment('closed_at'),
  },
  (table) => [primaryKey({ columns: [table.firm_id, table.id] })],
);
