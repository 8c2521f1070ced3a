import type { DocsAddresses } from './pages.ts';

/**
 * Stand for what only a running service has. It replaces them in every file it serves. A word each, so that no tool on
 * the way splits or escapes one.
 */
export const PLACEHOLDERS: DocsAddresses & { readonly pathPrefix: string; readonly version: string } = {
  baseUrl: 'https://placeholderbaseurl',
  docsUrl: 'https://placeholderdocsurl',
  pathPrefix: '/placeholderpathprefix',
  version: 'placeholderversion',
};

export const PATH = `${PLACEHOLDERS.pathPrefix}/docs/`;

/** Below the site's root. Its name changes with every build and address, so browsers may cache all of it. */
export const ASSETS = `assets/${PLACEHOLDERS.version}`;
