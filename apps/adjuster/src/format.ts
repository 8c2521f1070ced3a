import type { ReadonlySignal } from '@preact/signals';
import { createFormat as createCommonFormat } from '@svc/web-app/format';
import type { Language } from '@svc/web-app/texts/languages';
import type { Texts } from './texts/en.ts';

/** Values in the language that is shown. */
export function createFormat(
  texts: ReadonlySignal<Texts>,
  language: ReadonlySignal<Language>,
  now: ReadonlySignal<number>,
) {
  const { numbers, ...common } = createCommonFormat(texts, language, now);
  return {
    ...common,
    money: (amount: number): string =>
      numbers('money', { style: 'currency', currency: 'USD' }).format(amount),
    /** An amount without cents, for summaries. */
    wholeMoney: (amount: number): string =>
      numbers('wholeMoney', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }).format(amount),
    /** Such as $250K, for rows. */
    shortMoney: (amount: number): string =>
      numbers('shortMoney', {
        ...{ style: 'currency', currency: 'USD', notation: 'compact', maximumFractionDigits: 0 },
      }).format(amount),
    percent: (rate: number): string =>
      numbers('percent', { style: 'percent', maximumFractionDigits: 3 }).format(rate),
    inches: (count: number): string => texts.value.height(count, Math.floor(count / 12), count % 12),
    /** A distance in whole miles. */
    miles: (count: number): string => texts.value.miles(count < 10 ? count.toFixed(1) : count.toFixed(0)),
  };
}
