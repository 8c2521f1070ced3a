import { carrierNameKey } from './carrier.ts';
import type { Instant } from './ids.ts';

/** Within what time a firm owes a carrier something. What is absent is the program's own time. */
export interface Clocks {
  /** From the acceptance. */
  readonly contactHours?: number | undefined;
  /** From the first contact. */
  readonly inspectionHours?: number | undefined;
  /** From the acceptance, on the calendar. */
  readonly reportDays?: number | undefined;
}

/** For the claims of a carrier, of an event, of both, or all of them. */
export interface ClockRule extends Clocks {
  readonly carrier?: string | undefined;
  /** Catastrophe code of the event, as in the claim. */
  readonly catCode?: string | undefined;
}

/** What a firm has set. */
export interface FirmClocks {
  readonly rules: readonly ClockRule[];
  /** IANA name of the zone on whose calendar days are counted. */
  readonly timeZone: string;
  /** Absent: never. */
  readonly changedAt?: Instant;
}

export const NO_CLOCKS: FirmClocks = { rules: [], timeZone: 'UTC' };

/** Equal keys: two rules are for the same claims, which a firm may not have. */
export const clockRuleKey = ({ carrier, catCode }: ClockRule): string =>
  JSON.stringify([carrier === undefined ? null : carrierNameKey(carrier), catCode]);

const specificity = ({ carrier, catCode }: ClockRule): number =>
  (carrier === undefined ? 0 : 2) + (catCode === undefined ? 0 : 1);

/** Rules with a carrier and an event first, then with a carrier, with an event, with neither. */
export const bySpecificity = (rules: readonly ClockRule[]): ClockRule[] =>
  [...rules].sort((one, other) => specificity(other) - specificity(one));

/**
 * Within what times the firm owes a carrier contact, inspection and report: of the rules for the claim, the most
 * specific one that has a time sets it.
 */
export function clocksFor(rules: readonly ClockRule[], carrier: string, catCode: string | null): Clocks {
  const key = carrierNameKey(carrier);
  const matching = bySpecificity(rules).filter(
    (rule) =>
      (rule.carrier === undefined || carrierNameKey(rule.carrier) === key) &&
      (rule.catCode === undefined || rule.catCode === catCode),
  );
  const first = (field: keyof Clocks): number | undefined =>
    matching.find((rule) => rule[field] !== undefined)?.[field];
  return {
    contactHours: first('contactHours'),
    inspectionHours: first('inspectionHours'),
    reportDays: first('reportDays'),
  };
}
