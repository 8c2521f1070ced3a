/** The base path of the desk's files and API; the page itself is at `/firm`. */
export const ROOT = `${location.pathname.replace(/\/firm(\/.*)?$/, '')}/firm/`;
