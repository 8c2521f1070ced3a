import { expect, test } from '@jest/globals';
import { createVapidKeys } from '../src/composition/notifications.ts';
import { readConfig } from '../src/config.ts';
import { checkClock, checkConnections, checkPush, checkStandbys, notesOn } from '../src/svc/doctor.ts';

test('doctor names a missing synchronous standby, and the grant without which it sees none', () => {
  const standbysWith = (seesStandbys: boolean, synchronousStandbys: number, required: number) => {
    const replication = {
      standbys: 1,
      synchronousStandbys,
      requiredSynchronousStandbys: required,
      maxLagSeconds: null,
    };
    const { state, detail } = checkStandbys({ role: 'claims_service', seesStandbys }, replication);
    return `${state}: ${detail}`;
  };
  expect(standbysWith(true, 0, 0)).toBe('ok: 1 connected, 0 of them synchronous');
  expect(standbysWith(true, 1, 1)).toBe('ok: 1 connected, 1 of them synchronous');
  expect(standbysWith(true, 1, 2)).toMatch(/^wrong: .* synchronous_standby_names requires 2: every write/);
  expect(standbysWith(false, 0, 0)).toMatch(/^note: .* run GRANT pg_monitor TO claims_service$/);
});

test('doctor counts the processes that PostgreSQL accepts, and behind a pooler names the limits that count there', () => {
  const config = { dbPoolMax: 10, encryption: null };
  const detail = (maxConnections: number, behindPooler: boolean) => {
    const { state, detail } = checkConnections(config, { maxConnections, behindPooler });
    return `${state}: ${detail}`;
  };
  expect(detail(97, false)).toMatch(/^ok: max_connections allows 8 processes of 12 connections each/);
  expect(detail(5, false)).toMatch(/^wrong: max_connections allows 0 processes/);
  expect(detail(5, true)).toMatch(
    /^ok: a pooler in transaction mode is in front of PostgreSQL: max_client_conn must allow 12 .* the 5 that PostgreSQL accepts$/,
  );
});

test('doctor names a VAPID subject that Apple refuses, also that of generated keys', () => {
  const { publicKey, privateKey } = createVapidKeys();
  const stateWith = (subject: string) =>
    checkPush(
      readConfig(
        { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject },
        false,
      ),
    ).state;
  const accepted = [
    'mailto:push@example.com',
    'https://claims.example.com/contact',
    'MAILTO:a.b+c@mail.example',
  ];
  const refused =
    'mailto:operator@localhost|mailto:operator@localhost.localdomain|mailto:push@claims.local|mailto:push@claims.invalid|mailto:push@10.0.0.1|mailto:<push@example.com>|mailto: push@example.com|mailto:push|https://localhost:3000|https://127.0.0.1/|https://claims.internal/'.split(
      '|',
    );
  expect(accepted.filter((subject) => stateWith(subject) !== 'ok')).toEqual([]);
  expect(refused.filter((subject) => stateWith(subject) !== 'wrong')).toEqual([]);
  const generated = (env: Record<string, string>) => checkPush(readConfig(env, false)).detail;
  expect(generated({})).toMatch(/Apple answers 403 .* set BASE_URL or SUPPORT_EMAIL$/);
  expect(generated({ BASE_URL: 'https://claims.example.com' })).not.toMatch(/Apple/);
  expect(generated({ SUPPORT_EMAIL: 'help@example.com' })).not.toMatch(/Apple/);
});

test('doctor notes a HOST that proxies on other machines do not reach', () => {
  const notes = (TRUST_PROXY: string, HOST: string) =>
    notesOn(readConfig({ TRUST_PROXY, HOST, BASE_URL: 'https://claims.example.com' }, false)).map(
      ({ what, detail }) => `${what}: ${detail}`,
    );
  expect(notes('10.0.0.5', '127.0.0.1')).toEqual([
    expect.stringMatching(/^proxies: HOST is 127\.0\.0\.1: the proxies of TRUST_PROXY \(10\.0\.0\.5\) reach/),
  ]);
  expect(notes('10.0.0.5', '10.0.0.11')).toEqual([]);
  expect(notes('loopback,10.0.0.5', '127.0.0.1')).toEqual([]);
  expect(notes('127.0.0.1', '127.0.0.1')).toEqual([]);
});

test.each([
  [40, 'ok', '0.0 s ahead of'],
  [-999, 'ok', '1.0 s behind'],
  [20_000, 'note', '20.0 s ahead of'],
  [-61_000, 'wrong', '61.0 s behind'],
])('a clock that is %d ms ahead of that of the database is %s', (aheadMs, state, difference) => {
  expect(checkClock(aheadMs)).toMatchObject({ state, detail: expect.stringContaining(difference) });
});
