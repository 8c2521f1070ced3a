import { plural } from './en.ts';

/** Texts of both apps that are loaded when they are needed. */
export const moreEn = {
  claimFields: {
    number: 'Claim number',
    property: 'Insured property',
    date: 'Date of loss',
    description: 'Description',
    catCode: 'Catastrophe code',
    policyNumber: 'Policy number',
    phone: 'Phone',
    email: 'Email',
  },
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
  settings: {
    account: 'Account',
    language: 'Language',
    device: 'Same as device',
    schemes: { device: 'Same as device', light: 'Light', dark: 'Dark' },
    session: 'Session',
    signOut: 'Sign out',
    signOutEverywhere: 'Sign out everywhere',
  },
  sessions: {
    title: 'Where you are signed in',
    current: 'This session',
    unnamed: 'Browser',
    /** By the service's name. */
    names: {} as Readonly<Record<string, string>>,
    used: (time: string) => `Last used ${time}`,
    end: 'End',
    endNamed: (name: string, time: string) => `End ${name}, last used ${time}`,
    ended: 'The session has ended.',
  },
  passkeys: {
    title: 'Passkeys',
    lead: 'Sign in with your fingerprint, face or screen lock instead of a code. A passkey stays on your devices. Signing out everywhere keeps it: remove the passkeys of a lost device here.',
    none: 'You have no passkeys.',
    name: 'Name of the passkey',
    defaultName: 'My device',
    add: 'Add a passkey',
    added: 'The passkey was added.',
    rename: (name: string) => `Rename ${name}`,
    remove: (name: string) => `Remove ${name}`,
    removeLead: (name: string) => `Nobody can sign in with “${name}” any more.`,
    removed: 'The passkey was removed.',
    last: 'Your only passkey cannot be removed. Add another one first.',
    used: (date: string) => `Last used ${date}`,
    unused: 'Not used yet',
    failed: 'The device did not create or find a passkey. Try again.',
    requiredTitle: 'Add a passkey to continue',
    requiredLead:
      'Your operator requires a passkey. Add one on this device: from then on you sign in with it.',
    requiredElsewhere: 'Your account has a passkey already. Sign out, and sign in with it.',
  },
};
