const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

export const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** Texts of both apps that are part of the first load. */
export const commonEn = {
  loading: 'Loading …',
  back: 'Back',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saved: 'Saved.',
  copy: 'Copy',
  copied: 'Copied.',
  test: 'Test',
  skip: 'Skip to content',
  more: 'Show more',
  searching: 'Searching …',
  network: {
    needed: 'The service could not be reached. Check your connection and try again.',
    replaced: 'This page may be from before an update. Load it again; what you have typed stays.',
    failed: 'Something went wrong. Try again in a moment.',
    tryAgain: 'Try again',
  },
  signIn: {
    title: 'Sign in',
    lead: 'We will email you a six-digit code. You do not need a password.',
    email: 'Your email',
    send: 'Email me a code',
    sent: (email: string) =>
      `If ${email} has an account, we have sent a code to it. The code is valid for 10 minutes.`,
    code: 'Six-digit code',
    enter: 'Sign in',
    otherEmail: 'Use another email',
    again: 'Send a new code',
    refused: 'The code is wrong or has expired. Check it, or request a new one.',
    notRequested: 'A code works only in the browser that requested it. Request a new one here.',
    passkey: 'Sign in with a passkey',
    passkeyRefused: 'No passkey of this account was found. Sign in by email.',
    passkeyRequired: 'This account has a passkey. Sign in with it.',
    signedOut: 'You are signed out.',
  },
  broken: { title: 'This cannot be shown' },
  /** A date; months count from 0. */
  day: (year: number, month: number, day: number) => `${MONTHS[month]} ${day}, ${year}`,
  duration: {
    minutes: (minutes: number) => `${minutes} min`,
    hours: (hours: number, minutes: number) => (minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`),
    days: (days: number, hours: number) =>
      hours === 0 ? plural(days, 'day', 'days') : `${plural(days, 'day', 'days')} ${hours} h`,
  },
};

/** With what each app words itself. */
export type CommonTexts = typeof commonEn & {
  readonly app: string;
  readonly signIn: { readonly expired: string };
  readonly update: { readonly apply: string };
  readonly broken: { readonly lead: string };
};
