import type { Environment, FirmId, KeyId, Svcid } from '@svc/domain';

/** The request behind an action, for the audit trail. */
export interface RequestOrigin {
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
}

/** A firm's system, authenticated by API key. */
export interface FirmActor {
  readonly firmId: FirmId;
  readonly environment: Environment;
  readonly origin?: RequestOrigin & { readonly keyId: KeyId };
}

/** An adjuster, signed in to the app. */
export interface AdjusterActor {
  readonly svcId: Svcid;
  readonly origin?: RequestOrigin | undefined;
}

/** The person at the operator's command line. */
export interface Operator {
  readonly name: string;
}
