import type { FaultStore, SimulatedFaults } from '@svc/application';

/** Simulated faults of this process. */
export function createMemoryFaults(): FaultStore {
  const byKey = new Map<string, SimulatedFaults>();
  return {
    async set(firmId, keyId, faults) {
      if (faults === null) byKey.delete(`${firmId} ${keyId}`);
      else byKey.set(`${firmId} ${keyId}`, faults);
    },
    async take(firmId, keyId) {
      const key = `${firmId} ${keyId}`;
      const faults = byKey.get(key);
      if (faults === undefined || faults.count === 0) return null;
      byKey.set(key, { ...faults, count: faults.count - 1 });
      return faults.kind;
    },
    async giveBack(firmId, keyId, kind) {
      const key = `${firmId} ${keyId}`;
      const faults = byKey.get(key);
      if (faults?.kind === kind) byKey.set(key, { ...faults, count: faults.count + 1 });
    },
  };
}
