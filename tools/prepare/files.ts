import { CLIENT_TYPES_FILE, clientTypes } from './client-types.ts';
import { RULES_FILE, rulesPage } from './rules.ts';

export const GENERATED = [
  { file: CLIENT_TYPES_FILE, text: clientTypes },
  { file: RULES_FILE, text: rulesPage },
] as const;
