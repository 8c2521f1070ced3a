import { describe, expect, test } from '@jest/globals';
import { mapLink } from '../src/model/map-link.ts';
import { keptStops, MAX_STOPS, routeLink } from '../src/model/route-link.ts';

describe('links to the maps app', () => {
  const [ANDROID, IPHONE, IPAD] = ['Linux; Android 16', 'iPhone; CPU iPhone OS 18_6', 'Macintosh'];
  const ADDRESSES = ['9 Palm & Oak Ave #2, Sanibel, FL 33957', '27 Calle Luna, Loíza, PR 00772', '1 A St'];
  const [first = '', second, last = ''] = ADDRESSES;

  // A single stop works on every version of Apple Maps.
  test.each([
    ['an address', mapLink(first, IPHONE), `https://maps.apple.com/ q=${first}`],
    [
      'directions from where the device is through all stops in their order',
      routeLink(ADDRESSES, ANDROID),
      `https://www.google.com/maps/dir/ api=1; destination=${last}; waypoints=${first}|${second}; travelmode=driving`,
    ],
    [
      'directions from where the device is through all stops in their order',
      routeLink(ADDRESSES, IPAD),
      `https://maps.apple.com/directions waypoint=${first}; waypoint=${second}; destination=${last}; mode=driving`,
    ],
    ['an address', mapLink(first, 'iPad; CPU OS 12_5'), `https://maps.apple.com/ q=${first}`],
    ['directions to one stop', routeLink([last], IPHONE), `https://maps.apple.com/ daddr=${last}; dirflg=d`],
  ])('show %s as it is written: %s', (_, link, shown) => {
    const { origin, pathname, searchParams } = new URL(link);
    const parameters = [...searchParams].map((one) => one.join('='));
    expect(`${origin}${pathname} ${parameters.join('; ')}`).toBe(shown);
  });

  test('have no more stops than the maps app allows', () => {
    const many = Array.from({ length: MAX_STOPS + 3 }, (_, index) => `${index} A St`);
    const stops = new URL(routeLink(many, ANDROID)).searchParams;
    expect(stops.get('waypoints')?.split('|')).toHaveLength(8);
    expect(stops.get('destination')).toBe('8 A St');
  });
});

test('the stops of a route stay while the lists are incomplete, and until their claims leave the complete lists', () => {
  const stops = ['second', 'gone', 'first'];
  expect(keptStops(stops, undefined)).toEqual(stops);
  expect(keptStops(stops, [{ id: 'first' }, { id: 'other' }, { id: 'second' }])).toEqual(['second', 'first']);
  expect(keptStops(stops, [])).toEqual([]);
});
