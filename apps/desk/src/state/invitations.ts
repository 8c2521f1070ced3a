import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  isWorkbook,
  readText,
  readWorkbook,
  svcIdsIn,
  UncertainEncoding,
  UnreadableCsv,
} from '@svc/csv-import/in-page';
import { outlast } from '@svc/web-app/outlast';
import type { Call, Environment, InvitationResult } from '../endpoints.ts';
import type { ChosenFile } from './upload.ts';

/** Of one request, so that a person sees how far it is. */
const PER_REQUEST = 50;
/** What the service takes. */
const MAX_LENGTH = 128;
const UNUSABLE = /[\0\p{Cs}]/u;

export interface Invited {
  readonly row: number;
  readonly svcId: string;
  /** `invalid`: it cannot be an SVCID, and was not sent. `unknown`: the response has none. */
  readonly outcome: InvitationResult['outcome'] | 'invalid' | 'unknown';
}

export interface InvitationRun {
  readonly kind: 'sending' | 'sent' | 'stopped';
  readonly environment: Environment;
  readonly total: number;
  readonly done: readonly Invited[];
}

/** Those that a person has to correct: all others are members, are invited, or are in the list above. */
export const needsCorrection = ({ outcome }: Invited): boolean =>
  !['invited', 'invitation_pending', 'already_member', 'duplicate'].includes(outcome);

export type Invitations = ReturnType<typeof createInvitations>;

/** Invites the adjusters of a list, some with each request, whatever screen is shown. */
export function createInvitations(deps: {
  readonly call: Call;
  readonly request: <T>(send: () => Promise<T>) => Promise<T>;
  readonly environment: ReadonlySignal<Environment>;
  /** What a reload of the page keeps. */
  readonly typed: Signal<string>;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}) {
  const { typed } = deps;
  const run = signal<InvitationRun | undefined>(undefined);
  /** Why the chosen file is not read, or what of it was left out. */
  const notice = signal<{ readonly kind: 'unreadable' | 'left_out'; readonly text: string } | undefined>();
  const list = computed(() => svcIdsIn(typed.value));
  const isSending = computed(() => run.value?.kind === 'sending');
  /** Counts up, so that a run that was left behind ends. */
  let generation = 0;

  async function send(): Promise<void> {
    if (isSending.value) return;
    generation += 1;
    const mine = generation;
    const isWanted = (): boolean => mine === generation;
    const { entries } = list.value;
    const environment = deps.environment.value;
    // After a stop, all are sent again: who was invited has an outcome that says so.
    const seen = new Set<string>();
    const first: Invited[] = [];
    const waiting = entries.filter(({ row, svcId }) => {
      const isInvalid = [...svcId].length > MAX_LENGTH || UNUSABLE.test(svcId);
      const outcome = isInvalid ? 'invalid' : seen.has(svcId) ? 'duplicate' : undefined;
      seen.add(svcId);
      if (outcome !== undefined) first.push({ row, svcId, outcome });
      return outcome === undefined;
    });
    let done: readonly Invited[] = first;
    const show = (kind: InvitationRun['kind']): void => {
      run.value = { kind, environment, total: entries.length, done };
    };
    show('sending');
    try {
      for (let from = 0; from < waiting.length; from += PER_REQUEST) {
        const part = waiting.slice(from, from + PER_REQUEST);
        const body = { svc_ids: part.map(({ svcId }) => svcId) };
        const ask = () => deps.call('inviteBoardAdjusters', { query: { environment }, body });
        const { results } = await deps.request(() => outlast(ask, isWanted));
        if (!isWanted()) return;
        done = [...done, ...part.map((one, n) => ({ ...one, outcome: results[n]?.outcome ?? 'unknown' }))];
        show('sending');
      }
      show('sent');
      // What was invited is not to be typed again; what was not is.
      if (!done.some(needsCorrection)) typed.value = '';
    } catch (error) {
      if (!isWanted()) return;
      show('stopped');
      deps.onError(error);
    }
    deps.onEnd();
  }

  /** A list of what has to be corrected takes the place of the whole. */
  function correct(): void {
    typed.value = (run.value?.done ?? [])
      .filter(needsCorrection)
      .map(({ svcId }) => svcId)
      .join('\n');
    restart();
  }

  function restart(): void {
    run.value = undefined;
    notice.value = undefined;
  }

  async function choose(file: ChosenFile): Promise<void> {
    try {
      const { entries, leftOut } = svcIdsIn(await textOf(new Uint8Array(await file.arrayBuffer())));
      typed.value = entries.map(({ svcId }) => svcId).join('\n');
      notice.value = leftOut.length === 0 ? undefined : { kind: 'left_out', text: leftOut.join(', ') };
    } catch (error) {
      if (!(error instanceof UnreadableCsv)) throw error;
      notice.value = { kind: 'unreadable', text: error.message };
    }
  }

  return {
    ...{ typed, list, run, notice, isSending, send, correct, restart, choose },
    forget(): void {
      generation += 1;
      restart();
    },
  };
}

/** Where the encoding is not certain, names differ, and SVCIDs do not. */
async function textOf(bytes: Uint8Array): Promise<string> {
  if (isWorkbook(bytes)) return (await readWorkbook(bytes, undefined)).text;
  try {
    return readText(bytes).text;
  } catch (error) {
    if (!(error instanceof UncertainEncoding)) throw error;
    return readText(bytes, error.samples[0]?.encoding).text;
  }
}
