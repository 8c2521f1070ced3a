import { plural } from './en.ts';

/** Texts of both apps that are loaded when they are needed. */
export const moreEn = {
  map: {
    approximate: (zip: string) => `≈ Center of ZIP code ${zip}`,
    loading: 'Loading the map …',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    showAll: 'Show all',
    cluster: (count: number, place: string) => `${plural(count, 'claim', 'claims')} near ${place}`,
    unknown: (count: number) =>
      `${plural(count, 'claim has', 'claims have')} a ZIP code that is not on the map.`,
    showUnknown: 'Show',
    you: 'Your location',
    source: 'Map data: U.S. Census Bureau',
  },
};
