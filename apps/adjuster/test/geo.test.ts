import { describe, expect, test } from '@jest/globals';
import { mapLink } from '../src/model/map-link.ts';
import { keptStops, MAX_STOPS, routeLink } from '../src/model/route-link.ts';

describe('links to the maps app', () => {
  const [ANDROID, IPHONE, IPAD] = ['Linux; Android 16', 'iPhone; CPU iPhone OS 18_6', 'Macintosh'];
  const ADDRESSES = ['9 Palm & Oak Ave #2, Sanibel, FL 33957', '27 Calle Luna, Loíza, PR 00772', '1 A St'];
  const parameters = (link: string) => {
    const url = new URL(link);
    return [url.origin + url.pathname, [...url.searchParams]];
  };

  test('show one address as it is written', () => {
    expect(parameters(mapLink(ADDRESSES[0] ?? '', ANDROID))).toEqual([
      'https://www.google.com/maps/search/',
      [
        ['api', '1'],
        ['query', ADDRESSES[0]],
      ],
    ]);
    expect(parameters(mapLink(ADDRESSES[0] ?? '', IPHONE))).toEqual([
      'https://maps.apple.com/',
      [['q', ADDRESSES[0]]],
    ]);
  });

  test("give driving directions from the device's location through all stops in their order", () => {
    const [first, second, last] = ADDRESSES;
    expect(parameters(routeLink(ADDRESSES, ANDROID))).toEqual([
      'https://www.google.com/maps/dir/',
      [
        ['api', '1'],
        ['destination', last],
        ['waypoints', `${first}|${second}`],
        ['travelmode', 'driving'],
      ],
    ]);
    expect(parameters(routeLink(ADDRESSES, IPAD))).toEqual([
      'https://maps.apple.com/directions',
      [
        ['waypoint', first],
        ['waypoint', second],
        ['destination', last],
        ['mode', 'driving'],
      ],
    ]);
  });

  test('give directions to a single stop, on every version of Apple Maps too', () => {
    expect(parameters(routeLink(['1 A St'], ANDROID))[1]).toEqual([
      ['api', '1'],
      ['destination', '1 A St'],
      ['travelmode', 'driving'],
    ]);
    expect(parameters(routeLink(['1 A St'], IPHONE))).toEqual([
      'https://maps.apple.com/',
      [
        ['daddr', '1 A St'],
        ['dirflg', 'd'],
      ],
    ]);
  });

  test('have no more stops than the maps app allows', () => {
    const many = Array.from({ length: MAX_STOPS + 3 }, (_, index) => `${index} A St`);
    const stops = new URL(routeLink(many, ANDROID)).searchParams;
    expect(stops.get('waypoints')?.split('|')).toHaveLength(MAX_STOPS - 1);
    expect(stops.get('destination')).toBe(`${MAX_STOPS - 1} A St`);
  });
});

test('the stops of a route stay while the lists are incomplete, and until their claims leave the complete lists', () => {
  const stops = ['second', 'gone', 'first'];
  expect(keptStops(stops, undefined)).toEqual(stops);
  expect(keptStops(stops, [{ id: 'first' }, { id: 'other' }, { id: 'second' }])).toEqual(['second', 'first']);
  expect(keptStops(stops, [])).toEqual([]);
});
