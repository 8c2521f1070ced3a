import type { DocsAddresses } from './pages.ts';

/** Replaced by the API when it serves the files. Plain words, so that no build tool splits or escapes them. */
export const PLACEHOLDERS: DocsAddresses & { readonly pathPrefix: string; readonly version: string } = {
  baseUrl: 'https://placeholderbaseurl',
  docsUrl: 'https://placeholderdocsurl',
  supportEmail: 'support@placeholdersupportemail',
  pathPrefix: '/placeholderpathprefix',
  version: 'placeholderversion',
};

export const PATH = `${PLACEHOLDERS.pathPrefix}/docs/`;

/** Relative to the site's root. The name changes with every build and base URL, so browsers can cache the files. */
export const ASSETS = `assets/${PLACEHOLDERS.version}`;
