export interface DocsAddresses {
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly supportEmail: string;
}

export const NAME = 'Claim Assignment';

/** A page of the documentation. Its text is in docs/guides, under its name. */
export interface PageEntry {
  readonly name: string;
  /** Title in the menu. */
  readonly title: string;
  readonly description: string;
}

interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

const page = (name: string, title: string, description: string): PageEntry => ({ name, title, description });

/** All pages, in the order of the menu. `index` is the home page. */
export const SITE: readonly PageGroup[] = [
  {
    title: 'Get started',
    pages: [
      page('index', 'Overview', 'What the service does, and the conventions of its API.'),
      page('quick-start', 'Quick start', 'From a test key to an accepted claim in ten minutes, with curl.'),
      page(
        'quick-starts',
        'Python, TypeScript, Java, C#',
        'Complete programs without dependencies: send, poll, offer again.',
      ),
      page('test-accounts', 'Test accounts', 'Simulated adjusters to test every outcome with.'),
      page('rehearse-a-hurricane', 'Rehearse a hurricane', 'A day after landfall, played with a test key.'),
      page('readiness', 'Check your integration', 'A rehearsal that grades your own system.'),
      page(
        'before-you-trust-it',
        'Before you trust it',
        'What a careful firm asks before real claims: outages, data, security, leaving.',
      ),
    ],
  },
  {
    title: 'Guides',
    pages: [
      page('inviting-adjusters', 'Inviting adjusters', 'How an adjuster becomes a member of the firm.'),
      page('adjusters', 'For adjusters', 'The app: offers, receipts, several devices, iPhones.'),
      page('sending-claims', 'Sending claims', 'The fields of a claim, the checks, and the response.'),
      page('polling', 'Polling for changes', 'Miss no change, and skip repeated ones.'),
      page('webhooks', 'Webhooks', 'Learn at once that something has changed.'),
      page('offering-again', 'Offering to another adjuster', 'After a rejection, or without a response.'),
      page('receipts', 'Receipts', 'Proof of an offer and its response, which anyone can verify.'),
      page('correct-or-cancel', 'Correct or cancel a claim', 'What is and is not possible after sending.'),
      page('retries', 'Idempotency and retries', 'Retry a request without processing it twice.'),
      page('limits', 'Limits', 'Request rates, sizes and periods.'),
      page('keys', 'Keys and permissions', 'Environments, scopes, and rotating a key without downtime.'),
      page('carriers', 'Carriers', 'How carrier details are stored and filled in on the forms.'),
      page('flood', 'Flood data', 'Flood zones, building types, locations and causes of loss.'),
    ],
  },
  {
    title: 'Tools',
    pages: [
      page('desk', "The firm's desk", 'The page for dispatchers, developers and auditors of a firm.'),
      page(
        'paper',
        'Working on paper',
        'What to do in an outage, with a form to print, and how to enter it.',
      ),
      page('sdk', 'TypeScript SDK', 'A client with retries, pagination and polling.'),
      page('generated-clients', 'Generated clients', 'Code for your language from the OpenAPI document.'),
      page('command-line', 'Command line', 'Send files of claims and watch responses from a shell.'),
      page('packages/index', 'Packages', 'The SDK and the command line of this service, for installation.'),
      page('mcp', 'AI agents (MCP)', 'The operations of the API as tools of the Model Context Protocol.'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('reference', 'API reference', 'Every operation of the API in brief.'),
      page('reference/claims', 'Claims', 'Send, list, read and offer claims: every field and error.'),
      page('reference/adjusters', 'Adjusters', 'Invite, list and withdraw: every field and error.'),
      page(
        'reference/key-and-health',
        'Key and health',
        'Check a key and the service: every field and error.',
      ),
      page('reference/sandbox', 'Sandbox', 'Simulate adjusters, time and failures with a test key.'),
      page(
        'reference/adjuster-app',
        'Adjuster app',
        'Operations of the app for adjusters. Not for firm systems.',
      ),
      page('errors', 'Errors', 'Every error code: its cause, its fix, an example.'),
      page('changelog', 'Changelog', 'Versions, and which changes are compatible.'),
      page('support', 'Support', 'Who to write to, with what, and the status of the service.'),
    ],
  },
];

export const PAGES: readonly PageEntry[] = SITE.flatMap(({ pages }) => pages);
