import type {
  BuildingType,
  ConstructionType,
  FormType,
  LossCause,
  OccupancyType,
  ProfileField,
  ProgramType,
  SettlementBasis,
} from '@svc/contract';
import type { RejectionCode } from '../model/rejection.ts';

const occupancy: Record<OccupancyType, string> = {
  single_family_home: 'Single-family home',
  residential_manufactured_home: 'Residential manufactured/mobile home',
  residential_unit: 'Residential unit',
  two_to_four_family_building: 'Two-to-four family building',
  other_residential_building: 'Other residential building',
  residential_condominium_building: 'Residential condominium building',
  non_residential_building: 'Non-residential building',
  non_residential_manufactured_building: 'Non-residential manufactured/mobile building',
  non_residential_unit: 'Non-residential unit',
};

const building: Record<BuildingType, string> = {
  main_dwelling: 'Main dwelling',
  detached_guest_house: 'Detached guest house',
  apartment_building: 'Apartment building',
  apartment_unit: 'Apartment',
  cooperative_building: 'Cooperative building',
  cooperative_unit: 'Cooperative unit',
  condominium_building: 'Condominium building',
  condominium_unit: 'Condominium unit',
  townhouse_rowhouse: 'Townhouse or rowhouse',
  other_residential: 'Other residential',
  detached_garage: 'Detached garage',
  agricultural_building: 'Agricultural building',
  warehouse: 'Warehouse',
  recreation_building: 'Recreation building',
  storage_shed: 'Storage shed',
  barn: 'Barn',
  commercial_building: 'Commercial building',
  house_of_worship: 'House of worship',
  manufactured_home: 'Manufactured home',
  travel_trailer: 'Travel trailer',
  other_non_residential: 'Other non-residential',
};

const construction: Record<ConstructionType, string> = {
  framed: 'Frame',
  masonry: 'Masonry',
  other: 'Other',
};

const cause: Record<LossCause, string> = {
  tidal_water_overflow: 'Tidal water overflow',
  stream_river_lake_overflow: 'Stream, river, or lake overflow',
  alluvial_fan_overflow: 'Alluvial fan overflow',
  rainfall_snowmelt_accumulation: 'Accumulation of rainfall or snowmelt',
  earth_movement: 'Earth movement',
  closed_basin_lake: 'Closed basin lake',
  other: 'Other',
};

const form: Record<FormType, string> = {
  dwelling: 'Dwelling Form',
  general_property: 'General Property Form',
  rcbap: 'Residential Condominium Building Association Policy (RCBAP)',
};

const program: Record<ProgramType, string> = { regular: 'Regular program', emergency: 'Emergency program' };

const settlement: Record<SettlementBasis, string> = {
  replacement_cost: 'Replacement cost',
  actual_cash_value: 'Actual cash value',
};

/** Shown when the service rejects a value that the form accepted. */
const profileRefused: Record<ProfileField, string> = {
  first_name: 'Enter a valid first name.',
  last_name: 'Enter a valid last name.',
  email: 'Enter a valid email address that no other account uses.',
};

const profile: Record<ProfileField, string> = {
  first_name: 'First name',
  last_name: 'Last name',
  email: 'Email',
};

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** All texts of the app. Each language has a file of this type. */
export const en = {
  app: 'Claim assignments',
  loading: 'Loading …',
  back: 'Back',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saved: 'Saved.',
  test: 'Test',
  skip: 'Skip to content',

  nav: { label: 'Main', offers: 'Offers', claims: 'My claims', firms: 'Firms', settings: 'Settings' },

  network: {
    offline: (since: string | null) =>
      since === null ? 'You are offline.' : `You are offline. Last updated at ${since}.`,
    problem: (since: string | null) =>
      `The service has a problem, which is not your connection.${since === null ? '' : ` Last updated at ${since}.`}`,
    noLists:
      'After 14 days without a connection, lists are removed from this device. They return when you are online.',
    needed: 'The service could not be reached. Check your connection and try again.',
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
    test: 'Sign in with a test account',
    byEmail: 'Sign in by email',
    svcId: 'SVCID of the test account',
    secret: 'Sign-in secret',
    testRefused: 'The SVCID or the secret is wrong.',
    expired: 'Your session has ended. Sign in to continue. Answers not sent yet are saved.',
    signedOut: 'You are signed out.',
  },

  offers: {
    title: 'Offers',
    none: 'No open offers',
    noneMore: 'New offers appear here automatically.',
    noneFound: 'No offer matches your search.',
    noFirm: 'You have not joined a firm yet. Give a firm your SVCID, and its invitation appears here.',
    offeredAgo: (time: string) => `Offered ${time} ago`,
    respondBy: (time: string) => `firm waits until ${time}`,
    new: 'New',
    loss: (date: string) => `Loss ${date}`.replaceAll(' ', '\u00a0'),
    search: 'Search offers',
    sort: 'Sort by',
    byAge: 'Waiting longest',
    byDistance: 'Nearest',
    byLoss: 'Date of loss',
    group: 'Group by',
    notGrouped: 'No groups',
    byPlace: 'By place',
    byFirm: 'By firm',
    select: 'Select',
    selectAll: 'Select all',
    selectDone: 'Cancel selection',
    acceptCount: (count: number) => `Accept ${count}`,
    rejectCount: (count: number) => `Reject ${count}`,
    results: 'Results of your answers',
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
    title: 'Invitation',
    card: (firm: string) => `${firm} invites you`,
    as: (name: string) => `Invited as ${name}`,
    asLabel: 'Invited as',
    invitedAt: 'Sent',
    ends: (time: string) => `Expires ${time}`,
    endsLabel: 'Expires',
    meaning:
      'Once you join, this firm can offer you claims. You accept or reject each one, and you can pause or leave at any time.',
    missing: 'Complete your profile to join:',
    accept: 'Join',
    acceptWith: 'Save and join',
    decline: 'Decline',
    joined: (firm: string) => `You have joined ${firm}.`,
    declined: 'Invitation declined. The firm can invite you again.',
    gone: 'This invitation was withdrawn or has expired.',
  },

  claim: {
    title: 'Claim',
    number: 'Claim number',
    file: 'File number',
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
    undoneTooLate: (count: number) =>
      `Too late to undo: ${plural(count, 'answer was', 'answers were')} already sent.`,
    gone: 'This offer is no longer available',
    goneMore:
      'It was withdrawn, offered to someone else, or rejected on another device. You do not need to do anything.',
    alreadyAccepted: 'You accepted this claim on another device.',
    contactAfter: 'Phone and email are shown after you accept.',
    notAvailable: 'This claim is no longer available to you',
    notStored: 'This claim is not saved on this device. Open it once while you are online.',
    call: 'Call',
    text: 'Text',
    mail: 'Email',
    map: 'Map',
    offeredAt: 'Offered',
    acceptedAt: (time: string) => `Accepted ${time}`,
    closedAt: (time: string) => `Closed ${time}`,
    instructions: 'Instructions from the firm',
    sections: {
      policyholder: 'Policyholder',
      location: 'Insured property',
      loss: 'Loss',
      policy: 'Policy',
      building: 'Building',
      flood: 'Flood zone and map',
      carrier: 'Carrier, as printed on forms',
      coverages: 'Coverages',
      estimate: 'Estimate',
      agent: 'Agent',
      mortgagee: 'Mortgagee',
      contacts: 'Additional contacts',
      dates: 'Dates from the firm',
    },
    fields: {
      date: 'Date of loss',
      time: 'Time of loss',
      cause: 'Cause of loss',
      description: 'Description',
      outside: 'Exterior water depth',
      inside: 'Interior water depth',
      duration: 'Water duration',
      catCode: 'Catastrophe code',
      fico: 'FICO number',
      policyNumber: 'Policy number',
      term: 'Policy term',
      starts: 'Effective date',
      ends: 'Expiration date',
      original: 'Original effective date',
      formType: 'Policy form',
      program: 'Program',
      naic: 'NAIC number',
      occupancy: 'Occupancy',
      buildingType: 'Building type',
      construction: 'Construction type',
      built: 'Date of construction',
      units: 'Number of units',
      firstFloor: 'First floor height',
      openings: 'Flood openings',
      zone: 'Flood zone',
      firm: 'FIRM status',
      firmDate: 'FIRM date',
      community: 'Community number',
      panel: 'Map panel number',
      phone: 'Phone',
      otherPhone: 'Alternate phone',
      email: 'Email',
      address: 'Address',
      mailing: 'Mailing address',
      county: 'County',
      role: 'Role',
      agency: 'Agency number',
      loan: 'Loan number',
      reported: 'Reported date',
      contacted: 'Contact date',
      inspection: 'Inspection date',
      building: 'Building limit',
      contents: 'Contents limit',
      buildingDeductible: 'Building deductible',
      contentsDeductible: 'Contents deductible',
      buildingReserve: 'Building reserve',
      contentsReserve: 'Contents reserve',
      buildingAdvance: 'Building advance payment',
      contentsAdvance: 'Contents advance payment',
      icc: 'Increased Cost of Compliance (ICC)',
      specialLimits: 'Special limits of liability',
      buildingReplacement: 'Building replacement cost',
      buildingCashValue: 'Building actual cash value',
      contentsReplacement: 'Contents replacement cost',
      contentsCashValue: 'Contents actual cash value',
      settlement: 'Building loss settlement',
      buildingTax: 'Building tax rate',
      contentsTax: 'Contents tax rate',
      overhead: 'Overhead',
      profit: 'Profit',
      depreciation: 'Depreciation',
      priceList: 'Price list',
    },
    hours: (hours: number) => plural(hours, 'hour', 'hours'),
  },

  summary: {
    depth: 'Water depth',
    outside: (inches: number) => `${inches} in outside`,
    inside: (inches: number) => `${inches} in inside`,
    limits: 'Limits of liability',
    building: (amount: string) => `Building ${amount}`,
    contents: (amount: string) => `Contents ${amount}`,
    carrier: 'Carrier',
    related: 'Other claims',
    samePolicyholder: (count: number) => `${count} of this policyholder`,
    near: (count: number) => `${count} nearby`,
  },

  distance: {
    title: 'Set your location',
    lead: 'Distances are measured to the ZIP code of the property. Your location stays on this device.',
    position: 'Use my location',
    noPosition: 'The device gave no location. Allow it in the browser settings, or enter a ZIP code.',
    zip: 'ZIP code',
    useZip: 'Use ZIP code',
    unknownZip: 'This ZIP code is unknown.',
    forget: 'Remove location',
    from: (zip: string | null) => (zip === null ? 'From your location' : `From ${zip}`),
  },

  history: {
    title: 'History',
    lead: 'Offers that you rejected or that were withdrawn, as seen on this device.',
    none: 'No past offers',
    rejected: 'Rejected',
    withdrawn: 'No longer offered',
  },

  map: { title: 'Map' },

  update: {
    ready: 'A new version of the app is ready.',
    apply: 'Update',
    saveFirst: 'Save or clear what you have typed first, then update.',
  },

  /** Where the browser stores nothing. */
  notStored: {
    lead: 'This browser stores nothing for the app. Answers are sent at once, and notes are lost with the page.',
    waits: 'Not sent yet, and not saved. Keep the app open until you are online.',
  },

  broken: {
    title: 'This cannot be shown',
    lead: 'Update the app. Answers that are not sent yet and what you have typed stay on this device.',
    claims: (count: number) =>
      `${plural(count, 'claim', 'claims')} cannot be shown by this version of the app. Update it.`,
  },

  deadlines: {
    title: 'Due dates',
    now: 'less than a minute',
    kinds: {
      first_contact: 'First contact',
      preliminary_report: 'Preliminary report',
      proof_of_loss: 'Proof of loss',
    },
    dueIn: (what: string, time: string) => `${what} in ${time}`,
    overdue: (what: string, time: string) => `${what} overdue by ${time}`,
    due: (time: string) => `Due ${time}`,
    sources: 'Where these rules come from',
  },

  firmStatus: {
    pre_firm: 'Pre-FIRM: built before the first flood map',
    post_firm: 'Post-FIRM: built after the first flood map',
  } as Record<string, string>,
  zones: {
    a: 'high risk of flooding',
    v: 'high risk, on the coast with waves',
    x: 'moderate or low risk',
    d: 'risk not determined',
  },
  occupancy: occupancy as Record<string, string>,
  building: building as Record<string, string>,
  construction: construction as Record<string, string>,
  cause: cause as Record<string, string>,
  form: form as Record<string, string>,
  program: program as Record<string, string>,
  settlement: settlement as Record<string, string>,
  profile,
  profileRefused,

  reject: {
    title: 'Reject this claim?',
    lead: 'A reason helps the firm find another adjuster. It is optional.',
    reasons: {
      too_far: 'Too far away',
      workload: 'Too many open files',
      dates: 'Not available on these dates',
      conflict_of_interest: 'Conflict of interest',
      claim_type: 'Not my type of claim',
    } satisfies Record<RejectionCode, string> as Record<RejectionCode, string>,
    own: 'In your own words',
    confirm: 'Reject',
  },

  work: {
    title: 'Your work',
    lead: 'Only you can see this, not the firm.',
    contact: 'Policyholder contacted on',
    inspection: 'Property inspected on',
    notes: 'Notes',
    today: 'Today',
    clear: 'Clear',
    draft: 'Not saved',
    savedOffline: 'Saved on this device. It will be sent when you are online.',
    closesLater: 'Saved on this device. The claim is closed when you are online.',
    refused:
      'Not saved: the claim is closed, or its contact log is full. Your entries are kept on this device, contacts in the notes.',
    visit: 'Planned visit',
    visitTime: 'Time of the visit',
    calendar: 'Add to calendar',
    visitTitle: (name: string) => `Inspection: ${name}`,
    preliminaryReport: 'Preliminary report sent on',
    proofOfLoss: 'Proof of loss sent on',
    contacts: 'Contact log',
    contactNote: 'Note for the next entry',
    contactResults: {
      reached: 'Reached',
      left_message: 'Left message',
      no_answer: 'No answer',
    } as Record<string, string>,
    done: 'Mark as done',
    doneTitle: 'Mark this claim as done?',
    doneLead: 'It moves to your closed claims and can no longer be changed.',
    doneUnsaved: 'Your unsaved entries will be saved first.',
    doneConfirm: 'Close claim',
    notSaved: 'These entries were not saved before the claim was closed. They are only on this device.',
    doneToast: 'Done. The claim is now in your closed claims.',
  },

  claims: {
    title: 'My claims',
    open: 'Open',
    closed: 'Closed',
    noneOpen: 'No open claims',
    noneOpenMore: 'Claims you accept appear here. You can read them offline.',
    noneClosed: 'No closed claims',
    noneClosedMore: 'Claims you mark as done appear here.',
  },

  firms: {
    title: 'Firms',
    none: 'You have not joined a firm yet',
    noneMore: 'Give a firm your SVCID. Its invitation appears here.',
    svcId: 'Your SVCID',
    copy: 'Copy',
    copied: 'Copied.',
    taking: 'Receive new offers',
    takingOn: 'This firm can offer you claims.',
    takingOff: 'Paused: no new offers from this firm. Your current offers and claims stay with you.',
    notAllowed: 'The firm does not currently allow you to accept claims.',
    leave: 'Leave this firm',
    leaveTitle: (firm: string) => `Leave ${firm}?`,
    leavePoints: [
      'Offers you have not answered return to the firm.',
      'Claims you have accepted stay with you.',
      'The firm cannot send you new claims unless it invites you again.',
    ],
    leaveConfirm: 'Leave',
    left: (firm: string) => `You have left ${firm}.`,
  },

  outcomes: {
    accepted: (title: string) => `Sent: you have accepted ${title}.`,
    rejected: (title: string) => `Sent: you have rejected ${title}.`,
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
    failing: (nextAt: string) =>
      `The service could not process this. The next attempt is at ${nextAt}; you need to do nothing.`,
    stuck: (nextAt: string) =>
      `This is stuck: the service could not process it several times. The next attempt is at ${nextAt}.`,
    cancel: 'Stop trying',
  },

  miles: (count: string) => `${count} mi`,

  /** A height in inches, and in feet and inches. */
  height: (inches: number, feet: number, rest: number) =>
    feet === 0 ? `${inches} in` : `${inches} in (${feet} ft${rest === 0 ? '' : ` ${rest} in`})`,

  /** A date; months count from 0. */
  day: (year: number, month: number, day: number) => `${MONTHS[month]} ${day}, ${year}`,

  duration: {
    minutes: (minutes: number) => `${minutes} min`,
    hours: (hours: number, minutes: number) => (minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`),
    days: (days: number, hours: number) =>
      hours === 0 ? plural(days, 'day', 'days') : `${plural(days, 'day', 'days')} ${hours} h`,
  },
};

export type Texts = typeof en;
