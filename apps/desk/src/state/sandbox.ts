import { computed, effect, signal } from '@preact/signals';
import { createClient } from '@svc/client';
import { rehearse } from '@svc/sandbox';
import { api, desk, holdPageWhile } from '../app.ts';
import { SERVICE_URL } from '../root.ts';

const { key, rehearsedSince } = desk.sandbox;

/** By the page's header, the service neither grades these requests nor lets them meet simulated faults. */
const pageFetch: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('X-Claims-Page', '1');
  return fetch(url, { ...init, headers, credentials: 'omit', cache: 'no-store' });
};
const clientWith = (apiKey: string, deadlineMs?: number) =>
  createClient({ baseUrl: SERVICE_URL, apiKey, fetch: pageFetch, deadlineMs });

/** A person waits for what a button does. */
const DEADLINE_MS = 10_000;
export const client = computed(() =>
  key.value === undefined ? undefined : clientWith(key.value, DEADLINE_MS),
);

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Rehearsal {
  readonly state: 'running' | 'over' | 'failed';
  readonly since: string;
  readonly steps: readonly string[];
  /** The claims that the firm's program sends. */
  readonly lines?: string;
}

export const rehearsal = signal<Rehearsal | undefined>();
let stopping = new AbortController();
export const stopRehearsal = (): void => stopping.abort();

/** Goes on while other screens are shown. */
export async function startRehearsal(claims: number, minutes: number): Promise<void> {
  const { value: apiKey } = key;
  if (apiKey === undefined) return;
  stopping = new AbortController();
  const { signal: stop } = stopping;
  const since = new Date(api.now()).toISOString();
  let current: Rehearsal = { state: 'running', since, steps: [] };
  const show = (changes: Partial<Rehearsal>): void => {
    current = { ...current, ...changes };
    if (key.value === apiKey) rehearsal.value = current;
  };
  const addStep = (text: string): void => show({ steps: [...current.steps, text] });
  show({});
  rehearsedSince.value = since;
  try {
    await rehearse(clientWith(apiKey), {
      ...{ claims, durationMs: minutes * 60_000, signal: stop, now: api.now, onStep: addStep },
      onClaims: (lines) => show({ lines }),
    });
    show({ state: 'over' });
  } catch (error) {
    if (!stop.aborted) addStep(messageOf(error));
    show({ state: stop.aborted ? 'over' : 'failed' });
  }
}

// Without its key there is nobody to go on for.
effect(() => {
  if (key.value !== undefined) return;
  stopRehearsal();
  rehearsal.value = undefined;
});
holdPageWhile(() => rehearsal.value?.state === 'running');
