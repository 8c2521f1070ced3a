import { expect, test } from '@jest/globals';
import type { EndpointId, endpoints } from '@svc/contract';
import { CRASH_OPERATIONS } from './crash-operations.ts';
import type { Step } from './model.ts';

type WriteId = {
  [Id in EndpointId]: (typeof endpoints)[Id] extends { readonly write: true }
    ? (typeof endpoints)[Id] extends { readonly repeatable: false }
      ? never
      : Id
    : never;
}[EndpointId];

/** The steps of the model walks. */
const STEPS = {
  acceptClaim: 'accept',
  acceptInvitation: 'join',
  closeBoardClaim: 'firm closes',
  closeClaim: 'close',
  declineInvitation: 'decline',
  inviteAdjuster: 'invite',
  leaveFirm: 'leave',
  offerClaim: 'offer',
  rejectClaim: 'reject',
  sendClaim: 'send',
  updateMembership: 'pause',
  updateWork: 'work',
  withdrawBoardOffer: 'take back',
  withdrawInvitation: 'withdraw',
} as const satisfies { readonly [Id in WriteId]?: Step['do'] };

const SAME_USE_CASE = 'It runs the use case of another operation, with another actor.';
const NOT_COMPARED = 'The compared state has claims, carriers, members and jobs, and nothing of it changes.';
const ONE_ROW = 'It changes one row, in a unit of work as the others.';

/** Every operation that may be repeated is among the crash points and the steps, or is left out of one of them with its reason. */
const LEFT_OUT: Readonly<
  Record<Exclude<WriteId, keyof typeof CRASH_OPERATIONS & keyof typeof STEPS>, string>
> = {
  acceptTestClaim: SAME_USE_CASE,
  acceptTestInvitation: SAME_USE_CASE,
  changeFirm: NOT_COMPARED,
  clearFaults: NOT_COMPARED,
  closeTestClaim: SAME_USE_CASE,
  confirmEmail: NOT_COMPARED,
  declineTestInvitation: SAME_USE_CASE,
  departTestAdjuster: SAME_USE_CASE,
  endSession: NOT_COMPARED,
  endStaffSession: NOT_COMPARED,
  expireTestInvitation: SAME_USE_CASE,
  importClaims: SAME_USE_CASE,
  inviteBoardAdjuster: SAME_USE_CASE,
  inviteStaff: NOT_COMPARED,
  logContact: ONE_ROW,
  offerBoardClaim: SAME_USE_CASE,
  pauseTestAdjuster: SAME_USE_CASE,
  registerDevice: NOT_COMPARED,
  registerPasskey: NOT_COMPARED,
  registerStaffPasskey: NOT_COMPARED,
  reinstateTestAdjuster: SAME_USE_CASE,
  rejectTestClaim: SAME_USE_CASE,
  removePasskey: NOT_COMPARED,
  removeStaff: NOT_COMPARED,
  removeStaffPasskey: NOT_COMPARED,
  removeWebhook: NOT_COMPARED,
  renamePasskey: NOT_COMPARED,
  renameStaffPasskey: NOT_COMPARED,
  resumeTestAdjuster: SAME_USE_CASE,
  revokeKey: NOT_COMPARED,
  revokeKeysOfMaker: NOT_COMPARED,
  rollKey: NOT_COMPARED,
  sendBoardClaim: SAME_USE_CASE,
  setDevicePreferences: NOT_COMPARED,
  signOut: NOT_COMPARED,
  signOutStaff: NOT_COMPARED,
  simulateFaults: NOT_COMPARED,
  suspendTestAdjuster: SAME_USE_CASE,
  unregisterDevice: NOT_COMPARED,
  updateAvailability: ONE_ROW,
  updateKey: NOT_COMPARED,
  updateMembership: ONE_ROW,
  updateOwnStaff: NOT_COMPARED,
  updateStaff: NOT_COMPARED,
  updateSharing: ONE_ROW,
  updateWebhook: NOT_COMPARED,
  updateWork: ONE_ROW,
  withdrawBoardInvitation: SAME_USE_CASE,
};

test('every operation that writes is run at crash points and in model walks, or left out with a reason', () => {
  expect(Object.keys(LEFT_OUT).filter((id) => id in CRASH_OPERATIONS && id in STEPS)).toEqual([]);
});
