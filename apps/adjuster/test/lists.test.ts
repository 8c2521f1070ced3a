import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { signal } from '@preact/signals';
import type { AppClaim } from '@svc/contract';
import type { Language } from '@svc/web-app/texts/languages';
import { createFormat } from '../src/format.ts';
import {
  arrange,
  claimsAfter,
  DEFAULT_ARRANGEMENT,
  matches,
  ORDERS,
  type Order,
} from '../src/model/arrange.ts';
import { applyChanges, removedFrom } from '../src/model/list-changes.ts';
import { areListsExpired, LIST_LIFETIME_DAYS } from '../src/model/list-expiry.ts';
import { relatedClaims } from '../src/model/related.ts';
import { en, type Texts } from '../src/texts/en.ts';
import { enMore } from '../src/texts/en-more.ts';
import { es } from '../src/texts/es.ts';
import { NOTIFICATION_WORDS } from '../src/texts/worker.ts';
import { offer } from './claims.ts';

const at = (city: string, state: string, zip: string) => ({
  loss_location: { street: '1 Main Street', city, state, zip },
});
const ids = (claims: readonly { readonly id: string }[]): string[] => claims.map(({ id }) => id);

describe('a list of claims', () => {
  const [old, young, far] = [
    offer({
      offered_at: '2026-08-01T00:00:00.000Z',
      ...at('Loíza', 'PR', '00772'),
      loss: { date: '2026-07-30', peril: 'flood' },
    }),
    offer({
      offered_at: '2026-08-03T00:00:00.000Z',
      ...at('Cedar Key', 'FL', '32625'),
      respond_by: '2026-09-02T00:00:00.000Z',
      loss: { date: '2026-07-10', peril: 'flood' },
    }),
    offer({
      offered_at: '2026-08-02T00:00:00.000Z',
      ...at('LOÍZA', 'PR', '00772'),
      respond_by: '2026-09-01T00:00:00.000Z',
      loss: { date: '2026-07-20', peril: 'flood' },
      firm: { id: 'firm-2', name: 'Palmetto Flood Adjusters' },
    }),
  ];
  const claims = [young, far, old];
  const miles = new Map([
    [old.id, 30],
    [young.id, 5],
  ]);
  const ordered = (order: Order) =>
    arrange(claims, { ...DEFAULT_ARRANGEMENT, order }, ({ id }) => miles.get(id)).flatMap((group) =>
      ids(group.claims),
    );

  test('is sorted by age of the offer, by the end of the wait or distance with unknown ones last, or by date of loss', () => {
    expect(ordered('age')).toEqual(ids([old, far, young]));
    expect(claims).toEqual([young, far, old]);
    expect(ordered('distance')).toEqual(ids([young, old, far]));
    expect(ordered('loss')).toEqual(ids([young, far, old]));
    expect(ordered('reply')).toEqual(ids([far, young, old]));
    const [last, one, two] = [offer({ offered_at: '2026-09-01T00:00:00.000Z' }), offer(), offer()];
    for (const order of ORDERS)
      expect(arrange([last, two, one], { ...DEFAULT_ARRANGEMENT, order }, () => 5)[0]?.claims).toEqual([
        ...[one, two, last],
      ]);
  });

  test('is grouped by place or firm, and a group comes where its first claim would', () => {
    const groups = (grouping: 'place' | 'firm') =>
      arrange(claims, { ...DEFAULT_ARRANGEMENT, grouping }, () => undefined).map((group) => [
        group.title,
        ids(group.claims),
      ]);
    expect(groups('place')).toEqual([
      ['Loíza, PR', ids([old, far])],
      ['Cedar Key, FL', ids([young])],
    ]);
    expect(groups('firm')).toEqual([
      ['Gulf Adjusting Partners', ids([old, young])],
      ['Palmetto Flood Adjusters', ids([far])],
    ]);
  });

  test('keeps firms of one name apart', () => {
    const namesake = offer({ firm: { id: 'firm-3', name: old.firm.name } });
    const arrangement = { ...DEFAULT_ARRANGEMENT, grouping: 'firm' } as const;
    expect(arrange([old, namesake], arrangement, () => undefined)).toHaveLength(2);
  });

  test('is searched by words of names, places and numbers, without accents and capitals', () => {
    const found = (search: string) =>
      arrange(claims, { ...DEFAULT_ARRANGEMENT, search }, () => undefined).flatMap((group) =>
        ids(group.claims),
      );
    expect(found('loiza')).toEqual(ids([old, far]));
    expect(found('LOIZA flood adjusters')).toEqual(ids([far]));
    expect(found('00772 gulf adjusting')).toEqual(ids([old]));
    expect(found('nowhere')).toEqual([]);
    const names = { first_name: 'Zoë1', last_name: 'Ab2', company_name: 'Cd3' };
    const place = { street: '4 Ef', city: 'Gh5', state: 'PR', zip: '00966', county: 'Ij7' };
    const numbers = { claim_number: 'K8', file_number: 'L9', loss: { ...old.loss, cat_code: 'M10' } };
    const claim = offer({
      ...{ policyholder: { ...names, phone: '1' }, loss_location: place, ...numbers },
      ...{ policy: { ...old.policy, number: 'N11' }, carrier: { ...old.carrier, name: 'Op12' } },
      firm: { id: 'firm-1', name: 'Qr13' },
    });
    const written = 'zoe1 AB2 cd3 ef gh5 pr 00966 ij7 k8 l9 m10 n11 op12 qr13'.split(' ');
    expect(written.filter((word) => !matches(claim, word))).toEqual([]);
    expect(matches(claim, 'ab2cd3')).toBe(false);
    const obrien = offer({
      policyholder: { last_name: 'O’Brien', phone: '1' },
      ...at('Miami–Dade', 'FL', '33101'),
    });
    const search = (text: string) =>
      arrange([obrien, old], { ...DEFAULT_ARRANGEMENT, search: text }, () => undefined).length;
    expect(["o'brien", 'OBrien', 'O’Brien', 'miami-dade', 'Miami–Dade'].map(search)).toEqual([1, 1, 1, 1, 1]);
  });

  test('gives the claims after one, from the start again after the last', () => {
    const groups = arrange(claims, DEFAULT_ARRANGEMENT, () => undefined);
    const after = [old, far, young, offer()].map(({ id }) => claimsAfter(groups, id));
    expect(after).toEqual([
      [far, young],
      [young, old],
      [old, far],
      [old, far, young],
    ]);
    expect(claimsAfter(groups.slice(0, 0), old.id)).toEqual([]);
  });
});

describe('a list read by difference', () => {
  const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];

  test('takes what changed, drops what left, keeps the order of the service, and is read whole when an item is unknown', () => {
    const [changed, known] = [{ id: 'b' }, [a, b]];
    expect(applyChanges(known, [changed, c], ['c', 'b'])).toEqual([c, changed]);
    expect(applyChanges(known, [changed, c], ['c', 'b'])?.[1]).toBe(changed);
    expect(applyChanges(known, [], ['a', 'b'])).toBe(known);
    expect(applyChanges(known, [], ['a'])).toEqual([a]);
    expect(applyChanges([a], [b], ['a', 'b', 'c'])).toBeUndefined();
    expect(removedFrom([a, b, c], [b])).toEqual([a, c]);
  });
});

test('related claims have the same policyholder, the same ZIP code, or are at most a mile away', () => {
  const claim = offer();
  const same = offer({ policyholder: { first_name: 'M.', last_name: 'Delgado', phone: '(312) 555-0142' } });
  const stranger = { first_name: 'Ana', last_name: 'Reyes', phone: '352-555-0199' };
  const sameZip = offer({ policyholder: stranger, ...at('Next Town', 'FL', '33931-1234') });
  const mile = offer({ policyholder: stranger, ...at('Next Town', 'FL', '33932') });
  const away = offer({ policyholder: stranger, ...at('Cedar Key', 'FL', '32625') });
  const found = relatedClaims(claim, [claim, same, sameZip, mile, away], (_, other) =>
    other === mile ? 1 : other === away ? 1.01 : undefined,
  );
  expect(ids(found.samePolicyholder)).toEqual([same.id]);
  expect(ids(found.near)).toEqual([sameZip.id, mile.id]);
  expect(relatedClaims(sameZip, [claim], () => undefined).near).toEqual([claim]);
});

test('people of the same name are one policyholder unless both have contacts of a kind and none is equal', () => {
  const name = { first_name: 'Maria', last_name: 'Garcia' };
  const phone = '312-555-0142';
  const isSame = (one: object, other: object): boolean => {
    const [claim, related] = [one, other].map((contacts) =>
      offer({ policyholder: { ...name, ...contacts }, ...at('Cedar Key', 'FL', '32625') }),
    ) as [AppClaim, AppClaim];
    return relatedClaims(claim, [related], () => undefined).samePolicyholder.length > 0;
  };
  expect(isSame({ phone }, { phone: '+1 312 555 0142' })).toBe(true);
  expect(isSame({ phone }, { email: 'maria@example.com' })).toBe(true);
  expect(isSame({ phone, email: 'm@example.com' }, { phone: '312-555-0199', email: 'M@example.com' })).toBe(
    true,
  );
  expect(isSame({ phone }, { phone: '312-555-0199' })).toBe(false);
  expect(isSame({ email: 'm@example.com' }, { email: 'other@example.com' })).toBe(false);
  const spaced = { first_name: ' ana  maria', last_name: 'GARCIA' };
  expect(isSame({ first_name: 'Ana Maria' }, spaced)).toBe(true);
  for (const other of [{ last_name: 'Garza' }, { company_name: 'Reef LLC' }])
    expect(isSame({}, other)).toBe(false);
  const nameless = { first_name: undefined, last_name: undefined };
  expect(isSame(nameless, nameless)).toBe(false);
});

test('a date is written as the languages of the app write it', () => {
  const months = Array.from({ length: 12 }, (_, month) => month);
  const intl = (locale: string) =>
    months.map((month) =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
        Date.UTC(2026, month, 6),
      ),
    );
  expect(months.map((month) => en.day(2026, month, 6))).toEqual(intl('en-US'));
  // Not as in es-PR, where 02/06/2026 could be read as the second of June.
  expect(months.map((month) => es.day(2026, month, 6))).toEqual(intl('es-US'));
});

test('an amount has no more digits than it needs, in the language that is shown, also after it was changed', () => {
  const language = signal<Language>('en');
  const format = createFormat(signal<Texts>(en), language, signal(0));
  const written = () =>
    [format.wholeMoney(1234.4), format.shortMoney(12_500), format.percent(0.06755)].map((text) =>
      text.replace(/\s/g, ' '),
    );
  expect(written()).toEqual(['$1,234', '$13K', '6.755%']);
  const lengths = [...[9.94, 10].map(format.miles), ...[11, 12, 23].map(format.inches)];
  expect(lengths).toEqual(['≈ 9.9 mi', '≈ 10 mi', '11 in', '12 in (1 ft)', '23 in (1 ft 11 in)']);
  language.value = 'es';
  expect(written()).toEqual(['$1,234', '$13 k', '6.755%']);
});

describe('lists on a device', () => {
  const NOW = Date.parse('2026-09-20T12:00:00Z');
  const DAY_MS = 86_400_000;
  test.each([
    ['are kept on the day they were read', 0, false],
    ['are kept for 14 days without a connection', 14, false],
    ['are removed after that', 14.01, true],
    ['are kept when the clock is set back a little', -1, false],
    ['are removed when the clock was set back to keep them', -15, true],
  ])('%s', (_, days, expired) => {
    expect(areListsExpired(NOW - days * DAY_MS, NOW)).toBe(expired);
  });

  test('are removed when it is unknown when they were read', () => {
    expect(areListsExpired(undefined, NOW)).toBe(true);
  });
});

test('the app says after how many days lists are removed', () => {
  for (const { network } of [en, es]) expect(network.noLists).toContain(` ${LIST_LIFETIME_DAYS} d`);
});

test('each text is that of its subject in both languages, with values in their places and plurals', () => {
  const samples = [
    [1, 2, 3],
    [2, 1, 0],
    [null, false, 1],
    [0, 0, 1],
  ] as const;
  const said = (one: unknown): string =>
    typeof one === 'function' ? samples.map((values) => one(...values)).join(', ') : String(one);
  const textsAt = (path: string, text: unknown, other: unknown): string[] =>
    typeof text === 'object'
      ? Object.entries(Object(text)).flatMap(([name, one]) =>
          textsAt(`${path} ${name}`.trim(), one, Object(other)[name]),
        )
      : [`${path}: ${said(text)} | ${said(other)}`];
  const { en: worker, es: spanish } = NOTIFICATION_WORDS;
  const found = [...textsAt('', { ...en, ...enMore }, es), ...textsAt('worker', worker, spanish)];
  const file = readFileSync(new URL('./texts.txt', import.meta.url), 'utf8');
  expect(found).toEqual(file.trimEnd().split('\n'));
});
