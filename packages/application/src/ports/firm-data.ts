import type { CarrierDetails, Claim, ClaimId, FirmId, Svcid } from '@svc/domain';
import type { AdjusterView } from '../model/member-views.ts';
import type { ClaimImport } from './imports.ts';
import type { StoredOffer } from './offer-history.ts';

/** Everything that is stored for one firm, apart from its audit trail. */
export interface FirmData {
  /** In the order of their ids, after `after`. */
  claims(firmId: FirmId, after: ClaimId | null, limit: number): Promise<Claim[]>;
  /** Also former members, in the order of their SVCIDs. */
  members(firmId: FirmId, after: Svcid | null, limit: number): Promise<AdjusterView[]>;
  carriers(firmId: FirmId, after: string | null, limit: number): Promise<CarrierBookEntry[]>;
  /** In the order of claim and time, after `after`. */
  offers(firmId: FirmId, after: StoredOffer | null, limit: number): Promise<StoredOffer[]>;
  /** In the order of their ids, after `after`. */
  imports(firmId: FirmId, after: string | null, limit: number): Promise<ClaimImport[]>;
  /** Deletes a batch of rows. @returns how many; 0: nothing is left but the firm's id and its audit trail. */
  eraseBatch(firmId: FirmId): Promise<number>;
}

export interface CarrierBookEntry {
  readonly nameKey: string;
  readonly carrier: CarrierDetails;
}
