import type { Environment, FirmId, Svcid } from '@svc/domain';

/** A firm's system, authenticated by API key. */
export interface FirmActor {
  readonly firmId: FirmId;
  readonly environment: Environment;
}

/** An adjuster, signed in to the app. */
export interface AdjusterActor {
  readonly svcId: Svcid;
}
