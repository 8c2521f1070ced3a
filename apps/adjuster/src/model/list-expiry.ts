/** Copies of lists are removed from a device that has not read them for so long. Unsent answers and entries stay. */
export const LIST_LIFETIME_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;

/** By the device's clock. One that was set back must not keep the lists, so a reading in the future counts as well. */
export const areListsExpired = (readAt: number | undefined, now: number): boolean =>
  readAt === undefined || Math.abs(now - readAt) > LIST_LIFETIME_DAYS * DAY_MS;
