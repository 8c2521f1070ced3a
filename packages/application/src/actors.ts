import type { Environment, FirmId, KeyId, StaffRef, Svcid } from '@svc/domain';

/** The request behind an action, for the audit trail. */
export interface RequestOrigin {
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
}

/** A firm's system, authenticated by API key, or a staff member who does the same at the firm's desk. */
export interface FirmActor {
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly origin?: RequestOrigin & ({ readonly keyId: KeyId } | Pick<StaffRef, 'staffId'>);
}

/** An adjuster, signed in to the app. */
export interface AdjusterActor {
  readonly svcId: Svcid;
  readonly origin?: RequestOrigin | undefined;
}

/** A staff member of a firm, signed in to the desk. */
export interface StaffActor extends StaffRef {
  readonly origin?: RequestOrigin | undefined;
}

export type AccountActor = AdjusterActor | StaffActor;
