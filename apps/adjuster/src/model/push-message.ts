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
  /** Of dates. */
  readonly locale: string;
  readonly kinds: Readonly<Record<string, string>>;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const dayIn = (locale: string, date: unknown): string => {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at)
    ? ''
    : new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(at);
};

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
            : kind === 'credentials'
              ? '#/credentials'
              : '#/';
  const body = kind !== undefined && Object.hasOwn(words.kinds, kind) ? words.kinds[kind] : undefined;
  return {
    title: firm ?? words.app,
    body:
      body
        ?.replace('{count}', String(Number(fields.count)))
        .replace('{date}', dayIn(words.locale, fields.date)) ?? words.app,
    tag: claimId ?? firmId ?? kind ?? 'news',
    hash,
    alert:
      kind === 'offer' ||
      kind === 'acceptance_lost' ||
      kind === 'deadlines' ||
      kind === 'credentials' ||
      kind === 'test',
  };
}
