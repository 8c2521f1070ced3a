// What a page asks of the service worker, which runs for it, perhaps after it was closed.

/** The tag of a background sync: send the answers that wait. */
export const SEND_ANSWERS = 'answers';
/** A message: the release that was installed may start. */
export const START_RELEASE = 'update';
