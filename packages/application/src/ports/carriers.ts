import type { CarrierDetails, FirmId } from '@svc/domain';

/** The firm's carrier book. */
export interface Carriers {
  /** The entry under this name; concurrent merges into it wait. Null: none. */
  lock(firmId: FirmId, name: string): Promise<CarrierDetails | null>;
  /** Replaces the details of an entry that is locked. */
  save(firmId: FirmId, carrier: CarrierDetails): Promise<void>;
  remove(firmId: FirmId, name: string): Promise<void>;
}
