import type { ReadinessCheckId } from '@svc/domain';

interface CheckText {
  readonly title: string;
  /** What the program should do instead. */
  readonly change: string;
  /** How to get evidence. */
  readonly exercise: string;
}

export const CHECK_TEXTS: Readonly<Record<ReadinessCheckId, CheckText>> = {
  idempotency_keys: {
    title: 'Retries have the same Idempotency-Key',
    change:
      'Derive the Idempotency-Key from your own id, store it before the first attempt, and send every retry with the same key and the same body.',
    exercise: 'Simulate the fault dropped or internal_error while your system sends or offers a claim.',
  },
  lost_writes: {
    title: 'Every write that failed is sent again',
    change:
      'Keep a write in your queue until it gets a 2xx, or a 4xx other than 408, 425 and 429, also over a restart.',
    exercise: 'Simulate the fault service_unavailable while your system sends or offers a claim.',
  },
  duplicates: {
    title: 'No claim is sent twice',
    change:
      'Record a claim as sent on 201 and on duplicate_claim, which names the existing claim, and never send it under another Idempotency-Key.',
    exercise: 'Simulate the fault dropped while your system sends a claim.',
  },
  retry_after: {
    title: 'Retry-After is respected',
    change: 'Pause all requests with the key for the seconds in Retry-After.',
    exercise: 'Simulate the fault rate_limited.',
  },
  back_off: {
    title: 'Retries back off exponentially',
    change: 'Double the wait after each failure, up to 30 seconds, and add jitter.',
    exercise: 'Simulate 6 times the fault internal_error while your system sends one request at a time.',
  },
  cursors: {
    title: 'Polls follow next_cursor to the last page',
    change: 'Request the next page with next_cursor and the same filters, until next_cursor is null.',
    exercise: 'Simulate the fault short_page while two claims have changed and your system polls.',
  },
  poll_gaps: {
    title: 'Polls leave no gap',
    change:
      'Poll with updated_since set to the latest updated_at that you have processed, minus one minute. Never use your own clock.',
    exercise: 'Poll at least twice with updated_since.',
  },
  poll_overlap: {
    title: 'Polls overlap by about a minute',
    change:
      'Set updated_since to the latest updated_at that you have processed, minus one minute, whatever your own clock shows.',
    exercise: 'Poll at least twice with updated_since after claims have changed.',
  },
  unread_changes: {
    title: 'Every outcome is read',
    change: 'Poll GET /v1/claims every one to five minutes with updated_since, and without other filters.',
    exercise: 'Let a test account accept or reject a claim.',
  },
  second_outcomes: {
    title: 'A second outcome of a claim is processed',
    change:
      'Skip a claim only if you have processed the same id with the same updated_at; keep following claims that already had an outcome.',
    exercise: 'Offer a rejected claim again, and let a test account answer.',
  },
  unknown_values: {
    title: 'Unknown values are tolerated',
    change:
      'Ignore unknown fields; treat an unknown status as "no outcome yet", process the rest of the page, and do not send the value back.',
    exercise: 'Simulate the fault unknown_value while claims are pending and your system polls.',
  },
  rejected_requests: {
    title: 'Rejected requests are not repeated',
    change:
      'After a 4xx other than 408, 425 and 429, correct the request or hand it to a person, and never send it again unchanged.',
    exercise: 'Send claims.',
  },
};
