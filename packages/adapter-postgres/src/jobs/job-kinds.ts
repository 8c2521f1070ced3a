import type { JobKind } from '@svc/application';

const KINDS: Readonly<Record<JobKind, true>> = {
  notify_offer: true,
  notify_offer_withdrawn: true,
  notify_invitation: true,
  notify_test: true,
  notify_deadlines: true,
  remind_deadlines: true,
  simulate_offer_response: true,
  simulate_invitation_response: true,
};

/** Also the task names in the queue. */
export const JOB_KINDS = Object.keys(KINDS) as JobKind[];
