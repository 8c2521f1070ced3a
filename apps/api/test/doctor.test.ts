import { expect, test } from '@jest/globals';
import { checkConnections, checkStandbys } from '../src/svc/doctor.ts';

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
