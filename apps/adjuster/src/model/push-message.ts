/** The page a notification opens, its body and how it replaces others. */
interface NotificationContent {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly hash: string;
  /** Whether it makes a sound when it replaces another notification. */
  readonly alert: boolean;
}

export interface NotificationWords {
  readonly app: string;
  readonly kinds: Readonly<Record<string, string>>;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Messages of a kind that this release does not know open the page their ids lead to, or the offers. */
export function notificationOf(message: unknown, words: NotificationWords): NotificationContent {
  const fields = (typeof message === 'object' && message !== null ? message : {}) as Record<string, unknown>;
  const [kind, firm, claimId, firmId] = ['kind', 'firm_name', 'claim_id', 'firm_id'].map((name) =>
    text(fields[name]),
  );
  const hash =
    claimId !== undefined
      ? `#/claims/${claimId}`
      : kind === 'invitation' && firmId !== undefined
        ? `#/invitations/${firmId}`
        : kind === 'test'
          ? '#/settings'
          : kind === 'deadlines'
            ? '#/claims'
            : '#/';
  const body = kind !== undefined && Object.hasOwn(words.kinds, kind) ? words.kinds[kind] : undefined;
  return {
    title: firm ?? words.app,
    body: body?.replace('{count}', String(Number(fields.count))) ?? words.app,
    tag: claimId ?? firmId ?? kind ?? 'news',
    hash,
    alert: kind === 'offer' || kind === 'acceptance_lost' || kind === 'deadlines' || kind === 'test',
  };
}
