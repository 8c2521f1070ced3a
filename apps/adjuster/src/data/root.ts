/** The base path of the app's files and API; the page itself is at `/app`. */
export const ROOT = `${location.pathname.replace(/\/app(\/.*)?$/, '')}/app/`;
