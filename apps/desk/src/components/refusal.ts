import { texts } from '../app.ts';

/** Why the service refused, in the language that is shown. */
export const refusalText = (code: string): string => texts.value.refusals[code] ?? code;
