import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePhone, smsLink, telLink } from '../src/phone.ts';

test.each([
  ['312/555-0142', 'tel:+13125550142'],
  ['312‑555–0142', 'tel:+13125550142'],
  ['+44 20 7946 0018', 'tel:+442079460018'],
  ['+44 239 555 0142', 'tel:+442395550142'],
  ['3125550142x12', 'tel:+13125550142,12'],
  ['312.555.0142 Ext. 34', 'tel:+13125550142,34'],
  ['800-Fix-4-You', 'tel:+18003494968'],
  ['1-800-FLOODED x5', 'tel:+18003566333,5'],
  ['833-ABCGHJK', 'tel:+18332224455'],
  ['844-MNPQRST', 'tel:+18446677778'],
  ['855-UVWXYZA', 'tel:+18558899992'],
  ['866-defilo0', 'tel:+18663334560'],
  ['877-FLOODED', 'tel:+18773566333'],
  ['888-FLOODED', 'tel:+18883566333'],
  ['239-555-0142, 555-0177', 'tel:+12395550142'],
  ['2395550142.0', 'tel:+12395550142'],
  ...['555-0142', 'none', '8.7E+09', '23955501425', '239-555-01', '000-000-0000', '123 456 7890'].map(
    (phone) => [phone, undefined] as const,
  ),
  ...['+239 - - 239', '4123 Home Port Rd', '239-FLOODED', ''].map((phone) => [phone, undefined] as const),
])('%j dials %s, and a text message goes to the number without its extension', (phone, link) => {
  const number = link?.replace('tel:', 'sms:').replace(/,.*/, '');
  expect([telLink(phone), smsLink(phone)]).toEqual([link, number]);
});

const digits = (pattern: RegExp) => fc.stringMatching(pattern);
const number = fc.tuple(digits(/^[2-9]\d{2}$/), digits(/^[2-9]\d{2}$/), digits(/^\d{4}$/));
const LABELS = ['', 'Home ', 'c: ', 'Cell (', 'M. ', 'tel. ', 'Ana, wife: '];

test('whatever stands beside it, the first whole number and its extension are dialed', () => {
  fc.assert(
    fc.property(
      number,
      fc.constantFrom(...LABELS),
      fc.constantFrom('', '1', '+1', '1-', '+1 '),
      fc.constantFrom('', '-', '.', ' ', ') '),
      fc.option(digits(/^[1-9]\d{0,4}$/), { nil: undefined }),
      fc.constantFrom(' x', ' ext. ', ' #', ', ', ' extension ', ';ext='),
      fc.constantFrom(
        '',
        ' (cell)',
        ' Home',
        ' after 5',
        '; 212-555-0100',
        ' / 212 555 0100',
        ' or 555-0177',
      ),
      ([area, exchange, line], label, country, gap, extension, sign, rest) => {
        const written = `${gap === ') ' ? '(' : ''}${area}${gap}${exchange}${gap === ') ' ? '-' : gap}${line}`;
        const text = `${label}${country}${written}${extension === undefined ? '' : sign + extension}${rest}`;
        const expected = { number: `+1${area}${exchange}${line}` };
        expect(parsePhone(text)).toEqual(extension === undefined ? expected : { ...expected, extension });
      },
    ),
  );
});

test('no text gives anything but a whole number that it has', () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[\d+() .,;xX#-]{0,30}$/),
    fc
      .array(fc.constantFrom('239', '555', '0142', '1', '+', '-', ' ', '(', ')', 'x', 'ext', ',', '44'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (written) => {
      const found = parsePhone(written);
      if (found === null) return;
      expect(found.number).toMatch(/^\+(1[2-9]\d{2}[2-9]\d{6}|[02-9]\d{7,22})$/);
      expect(found.extension ?? '0').toMatch(/^\d{1,7}$/);
    }),
  );
});
