import { isApple, query } from './map-link.ts';

/** Google takes eight places on the way to the last one. */
export const MAX_STOPS = 9;

/** Directions by car from the device's position to the addresses in this order. */
export function routeLink(addresses: readonly string[], userAgent: string = navigator.userAgent): string {
  const stops = addresses.slice(0, MAX_STOPS);
  const before = stops.slice(0, -1);
  const last = stops.at(-1) ?? '';
  if (isApple(userAgent)) {
    // Several stops need iOS 18.4 or macOS 15.4; older ones open this address in the browser.
    return before.length === 0
      ? `https://maps.apple.com/?${query([
          ['daddr', last],
          ['dirflg', 'd'],
        ])}`
      : `https://maps.apple.com/directions?${query([
          ...before.map((stop) => ['waypoint', stop] as const),
          ['destination', last],
          ['mode', 'driving'],
        ])}`;
  }
  return `https://www.google.com/maps/dir/?${query([
    ['api', '1'],
    ['destination', last],
    ...(before.length === 0 ? [] : [['waypoints', before.join('|')] as const]),
    ['travelmode', 'driving'],
  ])}`;
}
