import { expect, test } from '@jest/globals';
import { checkStandbys } from '../src/svc/doctor.ts';

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
