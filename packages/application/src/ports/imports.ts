import type { Environment, FirmId, Instant } from '@svc/domain';

/** A file of claims that staff import, without its rows. */
export interface ClaimImport {
  readonly firmId: FirmId;
  readonly id: string;
  readonly name: string;
  /** Of the file that was sent or checked last; null: it was not named. */
  readonly fileName: string | null;
  readonly environment: Environment;
  /** The field of each column by its name; null: it is left out. */
  readonly columns: Readonly<Record<string, string | null>>;
  readonly totalRows: number;
  /** The row to continue with; null: every row was sent. */
  readonly nextRow: number | null;
  /** Rows before it are in the counts. */
  readonly nextUncounted: number;
  readonly sent: number;
  readonly alreadySent: number;
  readonly failed: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface Imports {
  add(started: ClaimImport): Promise<void>;
  lock(firmId: FirmId, id: string): Promise<ClaimImport | null>;
  /** Columns and progress. */
  save(changed: ClaimImport): Promise<void>;
  /** The one of this name that was changed last. */
  latestNamed(firmId: FirmId, name: string): Promise<ClaimImport | null>;
  /** Those that have sent rows, the latest first, after this one; null: from the start. */
  sent(firmId: FirmId, environment: Environment, after: string | null, count: number): Promise<ClaimImport[]>;
}
