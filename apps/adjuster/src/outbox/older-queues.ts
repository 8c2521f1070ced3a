import type { AppClaim, Availability } from '@svc/contract';
import type { DevicePreferences } from '@svc/domain';
import { pastOffer } from '../model/history.ts';
import type { ContactEntry, WorkEntries } from '../model/work-edits.ts';
import type { Content, Entry } from './entry.ts';

/** The three queues of earlier releases. */
export interface OlderQueues {
  readonly answers: readonly {
    readonly claimId: string;
    readonly answer: 'accept' | 'reject';
    readonly reason?: string;
    readonly svcId: string;
    readonly title: string;
    readonly offeredAt?: string;
    readonly tried?: boolean;
    readonly at: number;
    readonly sendAt?: number;
  }[];
  readonly work:
    | Readonly<
        Record<
          string,
          {
            readonly svcId: string;
            readonly entries: WorkEntries;
            readonly contacts: readonly ContactEntry[];
            readonly close: boolean;
          }
        >
      >
    | undefined;
  readonly settings:
    | {
        readonly svcId: string;
        readonly changes: Partial<Availability> & { readonly device?: Omit<DevicePreferences, 'timeZone'> };
      }
    | undefined;
  /** From which answers are completed. */
  readonly offers: readonly AppClaim[] | undefined;
}

export function entriesOfOlderQueues({ answers, work = {}, settings, offers = [] }: OlderQueues): Entry[] {
  const entry = (owner: string, content: Content, more: Partial<Entry> = {}): Entry =>
    ({ id: crypto.randomUUID(), owner, at: 0, tried: true, ...more, ...content }) as Entry;
  const ofAnswers = [...answers]
    .sort((a, b) => a.at - b.at)
    .map(({ claimId, svcId, sendAt, tried = false, at, answer, reason, title, offeredAt }) => {
      const claim = offers.find(({ id, offered_at }) => id === claimId && offered_at === offeredAt);
      const past = claim && pastOffer(claim, 'rejected', at, reason);
      const content = { kind: 'answer', key: claimId, answer, reason, title, offeredAt, past } as const;
      return entry(svcId, content, { at, tried, notBefore: sendAt });
    });
  const ofWork = Object.entries(work).flatMap(([key, { svcId, entries, contacts, close }]) => {
    const contents: Content[] = [
      ...(Object.keys(entries).length > 0 ? [{ kind: 'work', key, entries } as const] : []),
      ...contacts.map((contact) => ({ kind: 'work', key, contact }) as const),
      ...(close ? [{ kind: 'work', key, close } as const] : []),
    ];
    return contents.map((content) => entry(svcId, content));
  });
  const { device, ...changes } = settings?.changes ?? {};
  const ofSettings: Content[] = [
    ...(Object.keys(changes).length > 0 ? [{ kind: 'settings', key: 'availability', changes } as const] : []),
    ...(device === undefined ? [] : [{ kind: 'settings', key: 'device', changes: device } as const]),
  ];
  return [...ofAnswers, ...ofWork, ...ofSettings.map((content) => entry(settings?.svcId ?? '', content))];
}
