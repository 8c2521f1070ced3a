import type { LossCause } from '@svc/contract';
import { commonEn, plural } from '@svc/web-app/texts/en';

/** For rows of a list. */
const shortCause: Record<LossCause, string> = {
  tidal_water_overflow: 'Tidal water',
  stream_river_lake_overflow: 'River or lake',
  alluvial_fan_overflow: 'Alluvial fan',
  rainfall_snowmelt_accumulation: 'Rain or snow',
  earth_movement: 'Earth movement',
  closed_basin_lake: 'Closed basin',
  other: 'Other cause',
};

/** The texts of the first screens, which are part of the first load. Each language has a file of this type and of the next one. */
export const en = {
  ...commonEn,
  app: 'Claim assignments',
  nav: {
    label: 'Main',
    offers: 'Offers',
    claims: 'My claims',
    firms: 'Firms',
    settings: 'Settings',
    map: 'Map',
    history: 'History',
  },
  network: {
    ...commonEn.network,
    offline: (since: string | null) =>
      since === null ? 'You are offline.' : `You are offline. Last updated at ${since}.`,
    problem: (since: string | null) =>
      `The service has a problem, which is not your connection.${since === null ? '' : ` Last updated at ${since}.`}`,
    clock: (error: string, isAhead: boolean) =>
      `The clock of this device is ${error} ${isAhead ? 'fast' : 'slow'}. What the app sends has the right time; set the clock.`,
    noLists:
      'After 14 days without a connection, lists are removed from this device. They return when you are online.',
  },
  signIn: {
    ...commonEn.signIn,
    other: 'Other ways and help',
    test: 'Sign in with a test account',
    help: 'Help',
    byEmail: 'Sign in by email',
    svcId: 'SVCID of the test account',
    secret: 'Sign-in secret',
    testRefused: 'The SVCID or the secret is wrong.',
    expired: 'Your session has ended. Sign in to continue. Answers not sent yet are saved.',
  },
  offers: {
    title: 'Offers',
    none: 'No open offers',
    noneMore: 'New offers appear here automatically.',
    noneFound: 'No offer matches your search.',
    noFirm: 'You have not joined a firm yet. Give a firm your SVCID, and its invitation appears here.',
    left: (time: string) => `${time} left`,
    timeIsUp: 'Time is up',
    depth: (inches: number) => `${inches} in`,
    offeredAgo: (time: string) => `Offered ${time} ago`,
    respondBy: (time: string) => `firm waits until ${time}`,
    new: 'New',
    loss: (date: string) => `Loss ${date}`,
    tools: 'Search, sort',
    select: 'Select',
    selectAll: 'Select all',
    selectDone: 'Cancel selection',
    acceptCount: (count: number) => `Accept ${count}`,
    rejectCount: (count: number) => `Reject ${count}`,
    results: 'Your answers',
    dismiss: 'Dismiss',
    showAll: (count: number) => `Show all ${count}`,
    heldCount: (count: number) => `${plural(count, 'answer is', 'answers are')} about to be sent.`,
    queuedCount: (count: number) =>
      `${plural(count, 'answer is', 'answers are')} saved and will be sent when you are online.`,
    queued: 'Not sent yet',
    queuedMore: 'These answers are saved on this device and will be sent when you are online.',
    paused: (firm: string) => `You have paused new offers from ${firm}.`,
    count: (count: number) => plural(count, 'open offer', 'open offers'),
  },
  invitations: {
    card: (firm: string) => `${firm} invites you`,
    as: (name: string) => `Invited as ${name}`,
    ends: (time: string) => `Expires ${time}`,
  },
  claim: {
    title: 'Claim',
    accept: 'Accept',
    reject: 'Reject',
    heldAccept: (title: string) => `Accepting ${title}.`,
    heldReject: (title: string) => `Rejecting ${title}.`,
    queuedAccept: 'Your acceptance is saved and will be sent when you are online.',
    queuedReject: 'Your rejection is saved and will be sent when you are online.',
    nextOffer: 'Next offer',
    rejected: 'You have rejected this claim',
    undo: 'Undo',
    undone: 'Undone. Nothing was sent.',
    undoneAsked: 'Undone. The service does not have your answer.',
    undoneUnknown:
      'Stopped. Whether your answer arrived is not known: the offer shows it when the service responds.',
    undoneTooLate: (count: number) =>
      `Too late to undo: ${plural(count, 'answer was', 'answers were')} already sent.`,
    gone: 'This offer is no longer available',
    goneMore:
      'It was withdrawn, closed, offered to someone else, or rejected on another device. You do not need to do anything.',
    withdrawn: 'Withdrawn by the firm. You do not need to do anything.',
    alreadyAccepted: 'You accepted this claim on another device.',
    notAvailable: 'This claim is not available to you',
    notAvailableMore:
      'It is in another account, its offer is over, or it was closed after you left the firm. Sign in with the account that has it.',
    notStored: 'This claim is not saved on this device. Open it once while you are online.',
    acceptedAt: (time: string) => `Accepted ${time}`,
    closedAt: (time: string) => `Closed ${time}`,
  },
  update: {
    ready: 'A new version of the app is ready.',
    apply: 'Update',
    saveFirst: 'Save or clear what you have typed first, then update.',
  },
  /** Where the browser stores nothing, or the disk is full. */
  notStored: {
    lead: 'This device can save nothing now. Answers are sent at once, and notes are lost with the page.',
    waits: 'Not sent yet, and not saved. Keep the app open until you are online.',
  },
  broken: {
    ...commonEn.broken,
    lead: 'Update the app. Answers that are not sent yet and what you have typed stay on this device.',
    claims: (count: number) =>
      `${plural(count, 'claim', 'claims')} cannot be shown by this version of the app. Update it.`,
  },
  shortCause: shortCause as Record<string, string>,
  contactResults: {
    reached: 'Talked to policyholder',
    left_message: 'Left message',
    no_answer: 'No answer',
    inspected: 'Inspected',
  } as Record<string, string>,
  workFields: {
    contact_date: 'Policyholder contacted on',
    inspection_date: 'Property inspected on',
    planned_visit_date: 'Planned visit',
    planned_visit_time: 'Time of the visit',
    preliminary_report_date: 'Preliminary report sent on',
    proof_of_loss_date: 'Proof of loss sent on',
    notes: 'Notes',
  },
  merged: 'Saved. Another device had changed the same: see the notes, which have both.',
  outcomes: {
    accepted: (title: string) => `Sent: you have accepted ${title}.`,
    rejected: (title: string) => `Sent: you have rejected ${title}.`,
    withdrawn: (title: string, more = 0) =>
      `Withdrawn by the firm: ${title}${more > 0 ? ` and ${more} more` : ''}.`,
    gone: (title: string) => `${title} is no longer offered to you.`,
    offeredAgain: (title: string) => `${title} was offered to you again. Answer the new offer.`,
    alreadyAccepted: (title: string) => `You accepted ${title} on another device.`,
    refused: (title: string) => `${title}: your answer could not be processed.`,
    summary: (accepted: number, rejected: number, lost: number) =>
      [
        accepted > 0 && `${accepted} accepted`,
        rejected > 0 && `${rejected} rejected`,
        lost > 0 && `${lost} without effect`,
      ]
        .filter(Boolean)
        .join(' · '),
  },
  /** What is on the device and the service could not process. */
  outbox: {
    refused:
      'Not saved: the claim is closed, or its contact log is full. Your entries are kept on this device, contacts in the notes.',
    failing: (nextAt: string) =>
      `The service could not process this. The next attempt is at ${nextAt}; you need to do nothing.`,
    stuck: (nextAt: string) =>
      `This is stuck: the service could not process it several times. The next attempt is at ${nextAt}.`,
    cancel: 'Stop trying',
    stopped: 'Stopped. What was not saved is kept on this device, contacts in the notes.',
    sendNow: 'Send now',
  },
  /** From ZIP code to ZIP code. */
  miles: (count: string) => `≈ ${count} mi`,
  /** A height in inches, and in feet and inches. */
  height: (inches: number, feet: number, rest: number) =>
    feet === 0 ? `${inches} in` : `${inches} in (${feet} ft${rest === 0 ? '' : ` ${rest} in`})`,
};

export type Texts = typeof en;
