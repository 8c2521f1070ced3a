import { expect, test } from '@jest/globals';
import { smsLink, telLink } from '../src/model/phone.ts';

test.each([
  ['312-555-0142', 'tel:+13125550142'],
  ['(312) 555-0142', 'tel:+13125550142'],
  ['1 312 555 0142', 'tel:+13125550142'],
  ['+44 20 7946 0018', 'tel:+442079460018'],
  ['555-0142', 'tel:5550142'],
  ['312-555-0142 x12', 'tel:+13125550142,12'],
  ['3125550142x12', 'tel:+13125550142,12'],
  ['312-555-0142 ext 34', 'tel:+13125550142,34'],
  ['312.555.0142 Ext. 34', 'tel:+13125550142,34'],
  ['3125550142;ext=567', 'tel:+13125550142,567'],
  ['312-555-0142 #8', 'tel:+13125550142,8'],
  ['312-555-0142, 9', 'tel:+13125550142,9'],
  ['1-800-FLOODED', 'tel:+18003566333'],
  ['800-Fix-4-You', 'tel:+18003494968'],
  ['1-800-FLOODED x5', 'tel:+18003566333,5'],
])('%s dials %s', (phone, link) => {
  expect(telLink(phone)).toBe(link);
});

test('a text message goes to the number without its extension', () => {
  expect(smsLink('312-555-0142 x12')).toBe('sms:+13125550142');
});
