import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { type ClaimAsSent, DAY, type FirmId, type Svcid } from '@svc/domain';
import {
  attestationFor,
  type ClaimToSend,
  createFixedClock,
  createFixture,
  errorCodeOf,
  type Fixture,
} from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { PERSONAL as PERSONAL_COLUMNS, type PersonalTable } from '../src/encryption/personal-columns.ts';
import { WrappingKeys } from '../src/encryption/wrapping-keys.ts';
import { EncryptionKeyError, type PostgresStores } from '../src/index.ts';
import { mergeCarrier, newId } from './a-firm.ts';
import { type FreshDatabase, openStores, undistributedDatabase } from './fresh-database.ts';

const [OLD_KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)];
const ADDRESS = { street: '9 Mangrove Ct', city: 'Cedar Key', state: 'FL', zip: '32625' };
const CARRIER = { name: 'Tidewater', phone: '8505550199', email: 'desk@carrier.example', address: ADDRESS };
const POLICYHOLDER = { last_name: 'Quintanilla', phone: '352-555-0142' };
const ACCOUNT = { firstName: 'Marguerite', lastName: 'Thibodeaux', email: 'm.thibodeaux@bayou.example' };
const KEY_NAME = 'Marguerite’s laptop';
const STAFF = { name: 'Priya Natarajan', email: 'priya@gulf.example' };
const NEW_EMAIL = 'Marguerite@delta.example';
const AWAY = {
  away: [{ firstDay: '2026-08-01', lastDay: '2026-08-05', timeZone: 'America/Chicago' }],
} as const;
const DEVICE = 'device-of-marguerite';
const SUBSCRIPTION = {
  endpoint: 'https://push.example/send/bayou-endpoint',
  keys: { p256dh: 'bayou-public-key', auth: 'bayou-secret' },
};
const PREFERENCES = {
  timeZone: 'America/Indiana/Knox',
  quietHours: { start: '21:17', end: '06:43' },
  deadlineReminders: true,
} as const;
const PASSKEY_NAME = 'Blue key ring';
/** As the fixture names the device of a session. */
const DEVICE_NAME = 'Test device';
/** The path of an endpoint, which may hold a secret of the firm. */
const WEBHOOK_PATH = 'hook-of-the-bayou';
const IMPORT = {
  name: 'Evangeline Fontenot',
  fileName: 'Tchoupitoulas 2026.csv',
  columns: { Atchafalaya: 'policyholder.last_name' },
};
const NOTES_LIKE_CIPHERTEXT = 'enc:1:Water line in the den';
const CALL_NOTE = 'Odile next door has the key';
const NOTES = {
  invitedAs: 'Jean Delacroix',
  invitedBy: 'Petra Nowak',
  purpose: 'Ian backlog',
  note: 'Slow on Fridays',
};

/** Everything personal that `sentClaims` sends, and the account of its adjuster. */
const LICENSE = { state: 'LA', kind: 'emergency', number: 'L-77-Bayou', expiresOn: '2099-12-31' } as const;
const PERSONAL = [
  ...['Quintanilla', '352-555-0142', '8505550199', 'desk@carrier.example', 'Mangrove'],
  ...['Delacroix', 'Nowak', 'Ian backlog', 'Water line in the den', 'No answer at the door', 'Too far'],
  ...['Marguerite', 'Thibodeaux', 'm.thibodeaux@bayou.example', 'delta.example', '2026-08-01'],
  ...[DEVICE_NAME, PASSKEY_NAME, 'bayou-endpoint', 'bayou-secret', 'America/Indiana/Knox'],
  // With the quote after it: without, it is also in the times of rows that are written at 21:17.
  '21:17"',
  ...['Slow on Fridays', CALL_NOTE, WEBHOOK_PATH, STAFF.name, STAFF.email, KEY_NAME],
  ...[IMPORT.name, LICENSE.number, 'Atchafalaya', 'Tchoupitoulas'],
];

/**
 * Columns of text, JSON or bytes that are stored as they are, by table. A new column is added to `PERSONAL` or here, and
 * to "Encryption of personal data" in docs/operating/secure.md.
 */
const STORED_PLAIN: Readonly<Record<string, readonly string[]>> = {
  // The carrier's name finds its details.
  carriers: ['name', 'name_key'],
  // Ids of the sender's system, and an account's.
  claims: [
    ...['environment', 'external_id', 'claim_number', 'carrier_key', 'cat_code', 'status'],
    ...['adjuster_svc_id', 'offered_by', 'withdrawn_by', 'closed_by'],
  ],
  // `name_key` is a keyed hash where encryption is on, as `email_key`.
  imports: ['name_key', 'environment'],
  offers: ['environment', 'adjuster_svc_id', 'status', 'pushes', 'carrier_key', 'offered_by', 'withdrawn_by'],
  idempotency_records: ['environment', 'key', 'fingerprint'],
  memberships: ['svc_id', 'status'],
  adjuster_edits: ['svc_id'],
  adjuster_firms: ['svc_id'],
  adjusters: ['svc_id', 'email_key', 'test_behavior', 'sign_in_secret_hash'],
  staff: ['email_key', 'role'],
  // Hashes of secrets; public keys.
  email_changes: ['svc_id', 'code_hash'],
  sessions: ['token_hash', 'svc_id', 'method'],
  sign_in_codes: ['email_key', 'code_hash', 'seed'],
  sign_in_attempts: ['subject'],
  sign_in_tickets: ['slot', 'accounts', 'method'],
  passkeys: ['credential_id', 'svc_id', 'public_key', 'transports'],
  used_passkey_challenges: ['challenge'],
  devices: ['svc_id', 'device_id', 'session_hash', 'endpoint_hash'],
  api_keys: ['id', 'environment', 'purpose', 'secret_hash'],
  service_secrets: ['name', 'value'],
  receipt_keys: ['kid', 'x'],
  data_keys: ['wrapped_key', 'wrapping_key_id'],
  // Ids and client addresses, of which the chain of hashes is made.
  audit_log: ['entry', 'hash'],
  firm_feeds: ['audit_hash', 'audit_purged_hash'],
  request_log: ['environment', 'requests'],
  // Names of firms, what they owe their carriers, and published deadlines.
  firms: ['clocks', 'erasure', 'name', 'plan'],
  deadline_overrides: ['event', 'kind', 'source'],
  simulated_faults: ['key_id', 'kind'],
  webhook_deliveries: ['type', 'status', 'attempts'],
  webhook_endpoints: ['environment', 'paused'],
  // Ids.
  jobs: ['payload', 'svc_id'],
  schema_migrations: ['name', 'checksum'],
};

let database: FreshDatabase;

beforeEach(async () => {
  database = await undistributedDatabase();
});

const connected = (...keys: Uint8Array[]): Promise<PostgresStores> => {
  const encryption = keys.length === 0 ? null : { variable: 'ENCRYPTION_KEY', read: () => keys };
  return openStores({ url: database.url, encryption });
};

const fixtureOn = (stores: PostgresStores): Fixture =>
  createFixture({ ...stores, jobs: { pending: async () => [] } }, createFixedClock());

function personalClaim({ newClaim }: Fixture): ClaimToSend {
  const { facts, asSent } = newClaim({ carrier: CARRIER });
  const body = { ...JSON.parse(asSent), policyholder: POLICYHOLDER };
  return { facts, asSent: JSON.stringify(body) as ClaimAsSent };
}

let accounts = 0;

/** One claim that was accepted and worked on, one that was rejected, and one that was then offered again. */
async function sentClaims(fixture: Fixture) {
  const { newFirm, newAdjuster, invite, sendId, use, secrets, external } = fixture;
  const firm = await newFirm();
  accounts += 1;
  const email = `${accounts}${ACCOUNT.email}`;
  const { svcId } = await newAdjuster({ ...ACCOUNT, email });
  await use.requestSignInCode(email);
  const { token } = await use.signIn({ email, code: external.mails.at(-1)?.code ?? '' });
  const session = {
    tokenHash: secrets.hashOf(token, 'app_session') ?? '',
    mayOnlyAddPasskey: false,
  };
  const response = attestationFor(
    await use.startPasskeyRegistration({ svcId }, session),
    `credential-${accounts}`,
  );
  await use.registerPasskey({ svcId }, session, { name: PASSKEY_NAME, response });
  await use.putDevice({ svcId }, session.tokenHash, DEVICE, SUBSCRIPTION);
  await use.setDevicePreferences({ svcId }, DEVICE, PREFERENCES);
  await use.setAvailability({ svcId }, AWAY);
  await use.saveCredentials({ svcId }, { licenses: [LICENSE] });
  await use.updateProfile({ svcId }, { email: NEW_EMAIL });
  const url = `https://hooks.example/${WEBHOOK_PATH}`;
  const caller = { actor: 'operator:test', address: null, requestId: null };
  const created = await use.createWebhook(caller, { firmId: firm.id, environment: 'live', url });
  await use.updateWebhook(caller, firm.id, created.webhook.id, { overlapMs: DAY });
  const admin = await fixture.newStaff(firm, 'admin', STAFF);
  const properties = { firmId: firm.id, environment: 'live', purpose: 'claims', lifetimeMs: null } as const;
  await use.desk.createKey(caller, { ...properties, name: KEY_NAME }, admin);
  await use.startImport(firm.test, { ...IMPORT, id: undefined, totalRows: 1 });
  await invite(firm, svcId, NOTES);
  await use.acceptInvitation({ svcId }, firm.id);
  const accepted = await sendId(firm.live, svcId, { claim: personalClaim(fixture) });
  const rejected = await sendId(firm.live, svcId, { claim: personalClaim(fixture) });
  await use.acceptClaim({ svcId }, accepted);
  await use.recordWork({ svcId }, accepted, { notes: NOTES_LIKE_CIPHERTEXT });
  const call = { id: 'call-1', at: fixture.clock.now(), result: 'left_message', note: CALL_NOTE } as const;
  await use.logContact({ svcId }, accepted, call);
  await use.rejectClaim({ svcId }, rejected, 'Too far: No answer at the door');
  const offeredAgain = await sendId(firm.live, svcId, { claim: personalClaim(fixture) });
  await use.rejectClaim({ svcId }, offeredAgain, 'Too far: No answer at the door');
  await fixture.offer(firm.live, offeredAgain, svcId);
  return { firm, svcId, accepted, rejected };
}

/** Whatever is stored of them but the audit trail, as a process reads it. */
async function readBack({ use, stores, clock }: Fixture, firmId: FirmId, svcId: Svcid): Promise<string> {
  const read: unknown[] = await Promise.all([
    stores.appReads.adjuster(svcId),
    stores.accountReads.passkeys({ svcId }),
    stores.accountReads.sessions({ svcId }, clock.now()),
    stores.jobReads.devices(svcId, clock.now()),
    stores.unitOfWork.run((tx) => tx.emailChanges.lock(svcId)),
  ]);
  for await (const row of use.exportFirm(firmId)) if (row.type !== 'audit') read.push(row);
  return JSON.stringify(read);
}

const remembered = (stores: PostgresStores | Fixture['stores'], firmId: FirmId) =>
  stores.unitOfWork.run((tx) => tx.imports.latestNamed(firmId, IMPORT.name));

/** All rows of all tables of the database as text, the job queue's included. */
async function everything(): Promise<string> {
  const { rows } = await database.sql.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts = [];
  for (const { name } of rows)
    texts.push(...(await database.sql.query(`SELECT t::text FROM ${name} t`)).rows.map(({ t }) => t));
  return texts.join('\n');
}

const plainIn = (text: string): string[] => PERSONAL.filter((value) => text.includes(value));

test.each([
  ['in no table with a key', [OLD_KEY], []],
  ['found in the tables without one, so the search would find it', [], PERSONAL],
])('all personal text that was sent is read back, and %s', async (_, keys, found) => {
  const fixture = fixtureOn(await connected(...keys));
  const { firm, svcId } = await sentClaims(fixture);
  expect(plainIn(await everything())).toEqual(found);
  const read = await readBack(fixture, firm.id, svcId);
  expect([plainIn(read), read]).toEqual([PERSONAL, expect.stringContaining(`"${NOTES_LIKE_CIPHERTEXT}"`)]);
});

test('each column of text, JSON or bytes is encrypted, or listed as stored in plain text', async () => {
  const { rows } = await database.sql.query<{ table: string; columns: string[] }>(
    `SELECT table_name AS table, array_agg(column_name::text) AS columns
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_type = 'BASE TABLE' AND table_schema = current_schema() AND data_type IN ('text', 'json', 'jsonb', 'bytea', 'character varying')
      GROUP BY table_name`,
  );
  const tables: readonly PersonalTable[] = Object.values(PERSONAL_COLUMNS);
  const known = (name: string): string[] => [
    ...Object.keys(tables.find((table) => table.name === name)?.columns ?? {}),
    ...(STORED_PLAIN[name] ?? []),
  ];
  const sorted = (names: readonly string[]) => [...names].sort();
  const found = Object.fromEntries(rows.map(({ table, columns }) => [table, sorted(columns)]));
  const names = [...Object.keys(STORED_PLAIN), ...Object.keys(found), ...tables.map(({ name }) => name)];
  expect(found).toEqual(Object.fromEntries(names.map((name) => [name, sorted(known(name))])));
});

test('an encrypted document that was moved to another claim or column, or changed in a bit, cannot be read', async () => {
  const { newOffer, sendId, stores } = fixtureOn(await connected(OLD_KEY));
  const { firm, svcId, id: other } = await newOffer();
  for (const document of [
    `(SELECT document FROM claims WHERE id = '${other}')`,
    'carrier',
    "to_json(overlay(document #>> '{}' PLACING 'AAAA' FROM 40))",
  ]) {
    const id = await sendId(firm.live, svcId);
    await database.sql.query(`UPDATE claims SET document = ${document} WHERE id = $1`, [id]);
    await expect(stores.firmReads.claim(firm.id, 'live', id)).rejects.toThrow('was changed');
  }
});

test('rows from before are encrypted in batches without a visible change, also after an interruption', async () => {
  const fixture = fixtureOn(await connected());
  const { firm, svcId } = await sentClaims(fixture);
  for (let n = 0; n < 120; n += 1) await fixture.send(firm.live, svcId, { claim: personalClaim(fixture) });
  const before = await readBack(fixture, firm.id, svcId);

  const stores = await connected(OLD_KEY);
  const { encryption } = stores;
  const interrupt = (): never => {
    throw new Error('interrupted');
  };
  await expect(encryption.encryptExisting(interrupt)).rejects.toThrow('interrupted');
  const { claims } = (await encryption.status()).plainRows;
  expect(claims).toBe(23);
  expect(await remembered(stores, firm.id)).toMatchObject(IMPORT);
  const progress: number[] = [];
  const rest = await encryption.encryptExisting((rows) => progress.push(rows));
  expect([progress[0], progress.at(-1)]).toEqual([23, rest]);
  expect(Object.values((await encryption.status()).plainRows)).toEqual(
    Object.keys(PERSONAL_COLUMNS).map(() => 0),
  );
  expect(plainIn(await everything())).toEqual([]);
  expect(await readBack(fixtureOn(stores), firm.id, svcId)).toBe(before);
  expect(await remembered(stores, firm.id)).toMatchObject(IMPORT);
});

test('once all rows are encrypted, the database rejects plain text, whoever writes it', async () => {
  const without = fixtureOn(await connected());
  const { firm, svcId } = await sentClaims(without);
  const stores = await connected(OLD_KEY);
  expect((await stores.encryption.status()).rejectsPlainText).toBe(false);
  await stores.encryption.encryptExisting(() => {});
  // As if it had been interrupted before the last column.
  await database.sql.query('ALTER TABLE adjusters DROP CONSTRAINT adjusters_email_key_encrypted');
  expect((await stores.encryption.status()).rejectsPlainText).toBe(false);
  await stores.encryption.encryptExisting(() => {});
  expect((await stores.encryption.status()).rejectsPlainText).toBe(true);

  const rejected = { code: '23514' };
  for (const table of Object.values<PersonalTable>(PERSONAL_COLUMNS)) {
    const columns = Object.entries(table.columns);
    if (table.lookup) columns.push([table.lookup.column, 'text']);
    for (const [column, type] of columns)
      for (const text of ['plain', 'enc:0:plain', 'enc:plain']) {
        const value = type === 'json' ? JSON.stringify(text) : text;
        const update = database.sql.query(`UPDATE ${table.name} SET ${column} = $1`, [value]);
        await expect(update).rejects.toMatchObject(rejected);
      }
  }
  const merging = (on: Parameters<typeof mergeCarrier>[0]) =>
    mergeCarrier(on, firm.id, { ...CARRIER, name: 'Later' });
  await expect(merging(without.stores)).rejects.toThrow(/23514 .carriers_\w+_encrypted/);
  await merging(stores);
  const fixture = fixtureOn(stores);
  await fixture.send(firm.live, svcId, { claim: personalClaim(fixture) });
});

test('a text from before that starts like an encrypted one is encrypted too, and read unchanged', async () => {
  const without = await connected();
  const { newFirm } = fixtureOn(without);
  const firms = [await newFirm(), await newFirm()];
  const carrier = { name: 'Tidewater', phone: 'enc: 850 555 0199' };
  for (const { id } of firms) await mergeCarrier(without, id, carrier);

  const { encryption, firmData } = await connected(OLD_KEY);
  expect((await encryption.status()).plainRows).toMatchObject({ carriers: 2 });
  await encryption.encryptExisting(() => {});
  expect((await encryption.status()).plainRows).toMatchObject({ carriers: 0 });
  expect(await everything()).not.toContain('850 555 0199');
  for (const { id } of firms)
    expect(await firmData.carriers(id, null, 10)).toEqual([{ nameKey: expect.any(String), carrier }]);
});

test('an account from before is found by its address, whose other accounts are rejected, before and after it is encrypted', async () => {
  const email = 'm.thibodeaux@bayou.example';
  const found = (on: PostgresStores, address: string) =>
    on.unitOfWork.run(async (tx) => (await tx.adjusters.findByEmail(address))?.svcId);
  const before = fixtureOn(await connected());
  const { svcId } = await before.newAdjuster({ ...ACCOUNT, email });
  const [firm, second] = [await before.newFirm(), await before.newFirm()];
  await before.newStaff(firm, 'admin', { email });
  const stores = await connected(OLD_KEY);
  const { newAdjuster, newStaff, use } = fixtureOn(stores);
  await newStaff(second, 'auditor', { email });
  const other = await newAdjuster({ svcId: 'Later-1' as Svcid, email: 'other@bayou.example' });
  const outcomes = async () => [
    await found(stores, email.toUpperCase()),
    await errorCodeOf(newAdjuster({ svcId: 'Later-2' as Svcid, email })),
    await found(stores, 'other@bayou.example'),
    await errorCodeOf(newAdjuster({ svcId: 'Later-3' as Svcid, email: 'OTHER@bayou.example' })),
    await errorCodeOf(newStaff(firm, 'auditor', { email: email.toUpperCase() })),
    (await stores.staffReads.firmsOf(email)).map(({ id }) => id).sort(),
    (await stores.unitOfWork.run((tx) => tx.staff.findByEmail(email))).map(({ firmId }) => firmId).sort(),
  ];
  const firms = [firm.id, second.id].sort();
  const expected = [svcId, 'email_taken', other.svcId, 'email_taken', 'staff_exists', firms, firms];
  expect(await outcomes()).toEqual(expected);
  await stores.encryption.encryptExisting(() => {});
  expect(await outcomes()).toEqual(expected);
  expect(await everything()).not.toMatch(/thibodeaux|marguerite|other@/i);
  await use.updateProfile({ svcId }, { firstName: 'Margot' });
  expect(await stores.appReads.adjuster(svcId)).toMatchObject({
    firstName: 'Margot',
    lastName: 'Thibodeaux',
    email,
  });
});

test('behind a pooler, transactions that wait for a data key do not keep its connection', async () => {
  const without = await connected();
  const firm = await fixtureOn(without).newFirm();
  const encryption = { variable: 'ENCRYPTION_KEY', read: () => [OLD_KEY] };
  const stores = await openStores({ url: database.url, encryption, pooler: true, poolMax: 2 });
  const merges = Array.from({ length: 10 }, (_, n) =>
    mergeCarrier(stores, firm.id, { ...CARRIER, name: `Tidewater ${n}` }),
  );
  expect((await Promise.allSettled(merges)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('a transaction gets its data key while the reads of requests wait', async () => {
  const fixture = fixtureOn(await connected());
  const firm = await fixture.newFirm();
  const { appReads, unitOfWork } = await connected(OLD_KEY);
  await database.sql.query('BEGIN');
  await database.sql.query('LOCK TABLE memberships');
  const waiting = async () => {
    const { rowCount } = await database.sql.query(
      `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
        WHERE relation = 'memberships'::regclass AND NOT granted`,
    );
    return rowCount;
  };
  const reads: Promise<unknown>[] = [];
  // One after the other, to wait on both connections that reads share.
  for (const connections of [1, 2]) {
    reads.push(appReads.memberships('anyone' as Svcid));
    await eventually(async () => (await waiting()) === connections);
  }
  await unitOfWork.run((tx) => tx.carriers.save(firm.id, CARRIER));
  expect(await waiting()).toBe(2);
  await database.sql.query('ROLLBACK');
  expect(await Promise.all(reads)).toEqual([[], []]);
});

test('a data key that waits to be added delays no read of another', async () => {
  const fixture = fixtureOn(await connected());
  const [known, unknown] = [await fixture.newFirm(), await fixture.newFirm()];
  const writer = await connected(OLD_KEY);
  await mergeCarrier(writer, known.id, CARRIER);
  const { firmData, unitOfWork } = await connected(OLD_KEY);
  await database.sql.query('BEGIN');
  await database.sql.query(
    `INSERT INTO data_keys (firm_id, id, wrapped_key, wrapping_key_id) VALUES ($1, 1, '', 'other')`,
    [unknown.id],
  );
  let added = false;
  const adding = unitOfWork
    .run((tx) => tx.carriers.save(unknown.id, CARRIER))
    .finally(() => {
      added = true;
    });
  await eventually(async () => {
    const { rowCount } = await database.sql.query(
      'SELECT 1 FROM pg_locks WHERE transactionid = pg_current_xact_id()::xid AND NOT granted',
    );
    return rowCount === 1;
  });
  const [row] = await firmData.carriers(known.id, null, 1);
  expect([row?.carrier.phone, added]).toEqual([CARRIER.phone, false]);
  await database.sql.query('ROLLBACK');
  await adding;
});

test('after a start, rows of any number of firms are read at once', async () => {
  const fixture = fixtureOn(await connected());
  const stores = await connected(OLD_KEY);
  const firms: FirmId[] = [];
  // One after the other: at once, they would wait for connections longer than a request may.
  while (firms.length < 60) {
    const { id } = await fixture.newFirm();
    await mergeCarrier(stores, id, CARRIER);
    firms.push(id);
  }
  const { firmData } = await connected(OLD_KEY);
  const read = await Promise.all(firms.map((id) => firmData.carriers(id, null, 1)));
  expect(read.map(([row]) => row?.carrier.phone)).toEqual(firms.map(() => CARRIER.phone));
});

/** Sends a claim with this key. @returns whether a process reads it as it was sent. */
async function sentWith(key: Uint8Array): Promise<(stores: PostgresStores) => Promise<boolean>> {
  const { newTeam, newClaim, sendId } = fixtureOn(await connected(key));
  const [{ firm, svcId }, claim] = [await newTeam(), newClaim()];
  const id = await sendId(firm.live, svcId, { claim });
  return async ({ firmReads }) => (await firmReads.claim(firm.id, 'live', id))?.asSent === claim.asSent;
}

describe('the wrapping key', () => {
  test('is replaced while processes with the old one first still run', async () => {
    const isRead = await sentWith(OLD_KEY);
    const running = await connected(OLD_KEY, NEW_KEY);
    const next = await connected(NEW_KEY, OLD_KEY);
    await next.checkEncryptionKeys();
    const ofOthers = new WrappingKeys({ variable: '', read: () => [OLD_KEY] });
    for (let n = 0; n < 100; n += 1) {
      const { firmId, wrapped, wrappingKeyId } = ofOthers.wrap(randomBytes(32), newId(), 1);
      const values = [firmId, wrapped, wrappingKeyId];
      await database.sql.query('INSERT INTO data_keys VALUES ($1, 1, $2, $3)', values);
    }
    const progress: number[] = [];
    // With the firm's key and the service's.
    expect(await next.encryption.rewrap((keys) => progress.push(keys))).toBe(102);
    expect(progress).toEqual([100, 102]);
    expect(await next.encryption.rewrap(() => {})).toBe(0);

    const afterwards = await connected(NEW_KEY);
    await afterwards.checkEncryptionKeys();
    const { currentId: wrappingKeyId } = new WrappingKeys({ variable: '', read: () => [NEW_KEY] });
    const status = { wrappingKeyId, dataKeys: [{ wrappingKeyId, count: 102 }] };
    expect(await afterwards.encryption.status()).toMatchObject(status);
    for (const process of [running, afterwards]) expect(await isRead(process)).toBe(true);
    await expect((await connected(OLD_KEY)).checkEncryptionKeys()).rejects.toThrow(EncryptionKeyError);
  });

  test('is read again when a data key needs one that was not there', async () => {
    const keys = [OLD_KEY];
    const source = { variable: 'ENCRYPTION_KEY_FILE', read: () => [...keys] };
    const running = await openStores({ url: database.url, encryption: source });
    keys.push(NEW_KEY);
    const isRead = await sentWith(NEW_KEY);
    expect(await isRead(running)).toBe(true);
  });

  test('is named by its variable and id, never by its value, when it is missing or wrong', async () => {
    await sentWith(OLD_KEY);
    const messages = [];
    for (const keys of [[], [NEW_KEY]])
      messages.push(await (await connected(...keys)).checkEncryptionKeys().catch(String));
    const idOf = (key: Uint8Array) => new WrappingKeys({ variable: '', read: () => [key] }).currentId;
    const [used, held] = [idOf(OLD_KEY), idOf(NEW_KEY)];
    expect(messages).toEqual([
      expect.stringMatching(`ENCRYPTION_KEY_FILE are unset, .* set the key with the id ${used}\\.$`),
      expect.stringMatching(`ENCRYPTION_KEY does not hold the key with the id ${used}, .* ${held} first`),
    ]);
    for (const secret of [OLD_KEY, NEW_KEY])
      for (const text of [secret.toString('hex'), secret.toString('base64')])
        expect(messages.join()).not.toContain(text);
  });
});

test('a process without the key cannot read, which counts as an outage: another one may have it', async () => {
  const isRead = await sentWith(OLD_KEY);
  for (const keys of [[], [NEW_KEY]])
    await expect(isRead(await connected(...keys))).rejects.toThrow(Unavailable);
});

test('erasing a firm destroys its key and no other', async () => {
  const fixture = fixtureOn(await connected(OLD_KEY));
  const [erased, kept] = [await fixture.newOffer(), await fixture.newOffer()];
  await fixture.use.eraseFirm(erased.firm.id, erased.firm.name, () => {});
  const { rows } = await database.sql.query('SELECT firm_id FROM data_keys ORDER BY 1');
  // The first one is the service's, for accounts.
  expect(rows).toEqual([{ firm_id: '00000000-0000-0000-0000-000000000000' }, { firm_id: kept.firm.id }]);
});

test('a delivery of a firm whose key is destroyed is left out, and delays none of others', async () => {
  const fixture = fixtureOn(await connected(OLD_KEY));
  const firms: FirmId[] = [];
  for (const name of ['erased', 'kept']) {
    const { firm, svcId } = await fixture.newTeam();
    const endpoint = { firmId: firm.id, environment: 'live', url: `https://hooks.example/${name}` } as const;
    await fixture.use.createWebhook({ actor: 'operator:test', address: null, requestId: null }, endpoint);
    await fixture.sendId(firm.live, svcId);
    firms.push(firm.id);
  }
  await database.sql.query('DELETE FROM data_keys WHERE firm_id = $1', [firms[0]]);
  const { webhookQueue } = await connected(OLD_KEY);
  const now = fixture.clock.now();
  await webhookQueue.signalChanges(now);
  const taken = await webhookQueue.take('first', now, now + 1, { limit: 9, perFirm: 9, running: [] });
  expect(taken.map(({ endpoint: { firmId, url } }) => [firmId, url])).toEqual([
    [firms[1], 'https://hooks.example/kept'],
  ]);
});

test('erasing a firm also deletes rows of tables that were added later, referencing rows first', async () => {
  const fixture = fixtureOn(await connected());
  const [erased, kept] = [await fixture.newFirm(), await fixture.newFirm()];
  await database.sql.query(
    `CREATE TABLE a_notes (id integer PRIMARY KEY, firm_id uuid NOT NULL);
     CREATE TABLE b_notes_read (firm_id uuid NOT NULL, note integer NOT NULL REFERENCES a_notes (id));
     CREATE TABLE account_notes (svc_id text NOT NULL);
     INSERT INTO a_notes VALUES (1, '${erased.id}'), (2, '${kept.id}');
     INSERT INTO b_notes_read VALUES ('${erased.id}', 1), ('${kept.id}', 2);
     INSERT INTO account_notes VALUES ('${erased.accounts.manual}'), ('${kept.accounts.manual}')`,
  );
  await fixture.use.eraseFirm(erased.id, erased.name, () => {});
  const left = await database.sql.query(
    'SELECT a.firm_id, b.note, c.svc_id FROM a_notes a, b_notes_read b, account_notes c',
  );
  expect(left.rows).toEqual([{ firm_id: kept.id, note: 2, svc_id: kept.accounts.manual }]);
});

test('processes that write the first rows of a firm at the same time use one key', async () => {
  const { id } = await fixtureOn(await connected()).newFirm();
  const processes = await Promise.all([1, 2, 3].map(() => connected(OLD_KEY)));
  const merged = processes.map((stores, n) => mergeCarrier(stores, id, { ...CARRIER, name: `Carrier ${n}` }));
  await Promise.all(merged);
  for (const { firmData } of processes)
    expect((await firmData.carriers(id, null, 10)).map(({ carrier }) => carrier.phone)).toEqual(
      Array.from({ length: 3 }, () => CARRIER.phone),
    );
  const { rows } = await database.sql.query('SELECT id FROM data_keys');
  expect(rows).toEqual([{ id: 1 }]);
});
