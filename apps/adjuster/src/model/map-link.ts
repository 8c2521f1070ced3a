export const isApple = (userAgent: string): boolean => /iPhone|iPad|Macintosh/.test(userAgent);

export const query = (parameters: readonly (readonly [name: string, value: string])[]): string =>
  parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

/** Shows an address in the device's maps app, or in the browser where there is no app. */
export const mapLink = (address: string, userAgent: string = navigator.userAgent): string =>
  isApple(userAgent)
    ? `https://maps.apple.com/?${query([['q', address]])}`
    : `https://www.google.com/maps/search/?${query([
        ['api', '1'],
        ['query', address],
      ])}`;
