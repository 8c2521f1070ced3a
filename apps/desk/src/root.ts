const BASE = location.pathname.replace(/\/firm(\/.*)?$/, '');
/** The base path of the desk's files and API; the page itself is at `/firm`. */
export const ROOT = `${BASE}/firm/`;
export const DOCS = `${BASE}/docs/`;
export const SERVICE_URL = location.origin + BASE;
