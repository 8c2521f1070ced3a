import { lazy } from './lazy.tsx';

/** Dialogs are not part of the first load. */
export const OriginDialog = lazy(async () => (await import('./distance.tsx')).OriginDialog);
export const RejectDialog = lazy(async () => (await import('../screens/reject.tsx')).RejectDialog);
