import type { Profile } from '@svc/contract';
import type { Session as SessionOf } from '@svc/web-app/session';

export type Session = SessionOf<Profile>;
