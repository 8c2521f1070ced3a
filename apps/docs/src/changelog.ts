import type { Block } from './generated.ts';
import type { DocsAddresses } from './pages.ts';

interface Release {
  /** The first one is the interface version of the OpenAPI document. */
  readonly version: string;
  readonly date: string;
  readonly summary: string;
  /** In Markdown; links to pages start with a slash. */
  readonly changes: readonly string[];
}

/** Latest first. A breaking change is announced here in advance. */
const RELEASES: readonly Release[] = [
  {
    version: '1.2.0',
    date: '2026-11-26',
    summary: 'Additions only; nothing that exists has changed.',
    changes: [
      '[Receipts](/receipts.md): signed proof of an offer and its response, which anyone can verify',
      '[Webhooks](/webhooks.md) say when to poll, and the OpenAPI document describes them',
      '[Check of your integration](/readiness.md): rehearse a storm, and see what your program did wrong with its test key',
    ],
  },
  {
    version: '1.1.0',
    date: '2026-11-22',
    summary: 'Additions only; nothing that exists has changed.',
    changes: [
      '[Sandbox](/reference/sandbox.md): with a test key, respond to offers and invitations immediately, let adjusters leave, and simulate failures of the service',
      'Errors say which of their causes it was: each cause of `invalid_key`, line and column of invalid JSON, the path that was meant, and hints for values that are surely meant',
      '[MCP server](/mcp.md) at `POST /mcp`: the operations as tools for AI agents',
      '[Packages](/packages/index.md): the SDK and the command line for installation from the service; [quick starts](/quick-starts.md) in four languages',
      'The OpenAPI document names every object and enum, has the operations for firms only, and has a [copy in OpenAPI 3.0](/generated-clients.md)',
      'If the service had to be restored to an earlier time, polling delivers the [affected claims](/polling.md#after-a-restore) once more, and the status page says so',
      'A `traceparent` header (W3C Trace Context) is continued where the service records traces',
      'A [status page](/support.md#status), and a feed of this changelog',
    ],
  },
  {
    version: '1.0.0',
    date: '2026-11-21',
    summary: 'The first release of `/v1`.',
    changes: [
      'Claims: send, read, poll, offer to another adjuster',
      'Details of building and flood map, dates, coverages and estimate; the two cross-field rules',
      "Carrier details stored per firm and filled in on the adjuster's forms",
      'Adjusters: invite with four notes, list, withdraw',
      'Key check and health check',
      'Test keys, and test accounts that respond automatically',
    ],
  },
];

export const changelogEntries: Block = () =>
  RELEASES.map(
    ({ version, date, summary, changes }) =>
      `## ${version}\n\n_${date}_. ${summary}\n\n${changes.map((change) => `- ${change}`).join('\n')}`,
  ).join('\n\n');

const plain = (markdown: string): string =>
  markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
const xml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The changelog as an Atom feed (RFC 4287). */
export function changelogFeed({ docsUrl, supportEmail }: DocsAddresses): string {
  const entries = RELEASES.map(({ version, date, summary, changes }) => {
    const link = `${docsUrl}/changelog#_${version.replaceAll('.', '-')}`;
    const text = [plain(summary), ...changes.map((change) => `- ${plain(change)}`)].join('\n');
    return `  <entry>
    <id>${xml(link)}</id>
    <title>${version}</title>
    <link href="${xml(link)}"/>
    <updated>${date}T00:00:00Z</updated>
    <content type="text">${xml(text)}</content>
  </entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${xml(docsUrl)}/changelog.xml</id>
  <title>Claim Assignment: changelog</title>
  <link rel="self" href="${xml(docsUrl)}/changelog.xml"/>
  <link href="${xml(docsUrl)}/changelog"/>
  <author><name>Claim Assignment</name><email>${xml(supportEmail)}</email></author>
  <updated>${RELEASES[0]?.date ?? ''}T00:00:00Z</updated>
${entries.join('\n')}
</feed>
`;
}
