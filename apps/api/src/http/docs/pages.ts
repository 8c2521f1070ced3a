export interface DocsAddresses {
  readonly baseUrl: string;
  readonly docsUrl: string;
}

/** A page of the documentation. Its text lies in docs/guides, under its name. */
export interface PageEntry {
  readonly name: string;
  /** As it stands in the menu. */
  readonly title: string;
  readonly description: string;
}

interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

const page = (name: string, title: string, description: string): PageEntry => ({ name, title, description });

/** The whole site, in the order of the menu. `index` is the front page. */
export const SITE: readonly PageGroup[] = [
  {
    title: 'Begin',
    pages: [
      page('index', 'Overview', 'What the service does, and how a firm’s system talks to it.'),
      page('quick-start', 'Quick start', 'From a test key to an accepted claim in ten minutes, with curl.'),
      page(
        'test-accounts',
        'Test accounts',
        'Adjusters that accept, reject, join and decline by themselves.',
      ),
    ],
  },
  {
    title: 'Guides',
    pages: [
      page('inviting-adjusters', 'Inviting adjusters', 'How an adjuster becomes a member of the firm.'),
      page('sending-claims', 'Sending claims', 'What a claim holds, what is checked, and what comes back.'),
      page('polling', 'Polling done right', 'Learn every answer once, and never miss one.'),
      page(
        'offering-again',
        'Offering again',
        'After a rejection, a silence or a departure: the next adjuster.',
      ),
      page('retries', 'Idempotency and retries', 'Repeat a request without doing its work twice.'),
      page('limits', 'Limits', 'How often, how much, how long; and what happens beyond.'),
      page(
        'keys',
        'Keys and permissions',
        'Environments, purposes, plans, and changing a key without a gap.',
      ),
      page('carriers', 'Carriers', 'How carrier details are kept and filled in on the forms.'),
      page(
        'flood',
        'Flood specifics',
        'Zones, buildings, flood maps, territories: where claims get refused.',
      ),
    ],
  },
  {
    title: 'Tools',
    pages: [
      page('sdk', 'TypeScript SDK', 'Retries, pages and polling, done for you.'),
      page('command-line', 'Command line', 'Send files of claims and watch the answers from a shell.'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('reference', 'API reference', 'Every operation, field and answer.'),
      page('errors', 'Errors', 'Every error code: its cause, its fix, an example.'),
      page('changelog', 'Changelog', 'What changed, and what will never change under you.'),
    ],
  },
];

export const PAGES: readonly PageEntry[] = SITE.flatMap(({ pages }) => pages);
