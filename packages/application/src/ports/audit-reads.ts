import type { Instant } from '@svc/domain';
import type { AuditChain, AuditChainId, AuditRow } from '../model/audit.ts';

export interface AuditReads {
  /** Null when there is no such chain. */
  chain(chain: AuditChainId): Promise<AuditChain | null>;
  /** A row that is stored but not between the ends of the chain, so that no other method returns it; null: none. */
  outside(chain: AuditChainId): Promise<number | null>;
  /** Rows after `after`, in order. */
  rows(
    chain: AuditChainId,
    query: {
      readonly after: number;
      readonly limit: number;
      /** Inclusive. */
      readonly since?: Instant | undefined;
      /** Exclusive. */
      readonly until?: Instant | undefined;
    },
  ): Promise<AuditRow[]>;
  /** The latest rows, latest first. */
  latest(
    chain: AuditChainId,
    query: {
      readonly limit: number;
      readonly since?: Instant | undefined;
      readonly until?: Instant | undefined;
    },
  ): Promise<AuditRow[]>;
}
