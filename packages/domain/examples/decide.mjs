// @ts-check
// Decides without the service: may this adjuster be offered the claim, may the adjuster accept it, and what does the
// firm's carrier book become? Run it with `node decide.mjs` in a folder where @svc/domain is installed.
import { acceptClaim, checkAddressee, DAY, DomainError, mergeCarrier, sendClaim } from '@svc/domain';

const FIRM = /** @type {import('@svc/domain').FirmId} */ ('5d0c2c1e-9f0d-4c6c-9a2b-6a1f0f4f7b21');
const CLAIM = /** @type {import('@svc/domain').ClaimId} */ ('0b9f6a52-3c0e-4a53-8f57-2f1f7a3c9d10');
const JEAN = /** @type {import('@svc/domain').Svcid} */ ('SVC-7F3K-Delacroix');
const MAYA = /** @type {import('@svc/domain').Svcid} */ ('SVC-2M9D-Whitcomb');
const NOW = Date.UTC(2026, 7, 29, 14, 0);

/** @type {import('@svc/domain').Adjuster} */
const adjuster = {
  svcId: JEAN,
  firstName: 'Jean',
  lastName: 'Delacroix',
  email: 'jean@example.com',
  testOf: null,
};

/** @type {import('@svc/domain').Membership} */
const membership = {
  firmId: FIRM,
  svcId: JEAN,
  status: 'active',
  firstKnownAt: NOW - 30 * DAY,
  invitedAt: NOW - 30 * DAY,
  expiresAt: null,
  respondedAt: NOW - 29 * DAY,
  notes: { invitedAs: 'Jean Delacroix', invitedBy: null, purpose: null, note: null },
  canAcceptClaims: true,
  acceptingAssignments: true,
  readableUntil: null,
  seenAt: null,
  remindedAt: null,
  sharing: { clocks: false, credentials: false, workArea: false },
};

/**
 * `yes` when the rule allows it, else the code of the error.
 *
 * @param {() => unknown} rule
 */
function verdict(rule) {
  try {
    rule();
    return 'yes';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

const offer = {
  adjuster,
  membership,
  firmId: FIRM,
  environment: /** @type {const} */ ('live'),
  pendingOffers: 0,
  at: NOW,
};
const paused = { ...membership, acceptingAssignments: false };
console.log(
  'may be offered:',
  verdict(() => checkAddressee(offer)),
);
console.log(
  'may be offered while paused:',
  verdict(() => checkAddressee({ ...offer, membership: paused })),
);

const sent = { name: 'Palmetto Mutual Insurance', phone: '(803) 555-0144', email: 'claims@palmetto.example' };
const claim = sendClaim(
  { externalId: 'CMS-1', claimNumber: 'FL26-1', carrier: sent },
  {
    id: CLAIM,
    firmId: FIRM,
    environment: 'live',
    adjuster: JEAN,
    asSent: /** @type {import('@svc/domain').ClaimAsSent} */ ('{}'),
    at: NOW,
  },
);
const accepted = acceptClaim(claim, { by: JEAN, at: NOW + 1000 });
console.log(
  'the offer may be accepted:',
  verdict(() => acceptClaim(claim, { by: JEAN, at: NOW })),
);
console.log(
  'by another adjuster:',
  verdict(() => acceptClaim(claim, { by: MAYA, at: NOW })),
);
console.log(
  'a second time:',
  verdict(() => acceptClaim(accepted, { by: JEAN, at: NOW })),
);

const book = { name: 'PALMETTO MUTUAL INSURANCE', phone: '1-803-555-0144', email: 'desk@palmetto.example' };
const address = { street: '1 Main Street', city: 'Columbia', state: 'SC', zip: '29201' };
const merged = mergeCarrier(book, { ...sent, address });
console.log('the book becomes:', JSON.stringify(merged.entry));
console.log('gained:', merged.gained.join(), 'differing:', merged.differing.join());
