import { isApple, query } from './map-link.ts';

/** Google Maps allows eight waypoints before the destination. */
export const MAX_STOPS = 9;

/** Without the stops whose claim has left the lists; the lists are undefined while they are incomplete. */
export const keptStops = (
  stops: readonly string[],
  listed: readonly { readonly id: string }[] | undefined,
): readonly string[] => {
  if (listed === undefined) return stops;
  const ids = new Set(listed.map(({ id }) => id));
  return stops.filter((stop) => ids.has(stop));
};

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
