import type { ClockRule } from '../endpoints.ts';

export const TEXTS = ['carrier', 'cat_code'] as const;
export const NUMBERS = ['contact_hours', 'inspection_hours', 'report_days'] as const;
/** As typed. */
export type TypedRule = Readonly<Record<string, string>>;

export const typedRule = (rule: ClockRule): TypedRule =>
  Object.fromEntries(Object.entries(rule).map(([field, value]) => [field, String(value)]));

/** What is no number is sent as typed, so that the service names it. */
export function ruleOf(typed: TypedRule): ClockRule {
  const entries = Object.entries(typed).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(
    entries.map(([field, text]) => [
      field,
      (NUMBERS as readonly string[]).includes(field) && /^\d+$/.test(text.trim())
        ? Number(text)
        : text.trim(),
    ]),
  );
}
