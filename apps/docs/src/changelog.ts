import { RELEASES } from '@svc/contract';
import { type Block, operationsAddedIn } from './generated.ts';
import type { DocsAddresses } from './pages.ts';

/** In Markdown, without the heading. */
function changesOf({ version, changes }: (typeof RELEASES)[number], addresses: DocsAddresses): string {
  const added = operationsAddedIn(version, addresses);
  return [...changes, ...(added === '' ? [] : [`New operations: ${added}`])]
    .map((change) => `- ${change}`)
    .join('\n');
}

export const changelogEntries: Block = (addresses) =>
  RELEASES.map(
    (release) =>
      `## ${release.version}\n\n_${release.date}_. ${release.summary}\n\n${changesOf(release, addresses)}`,
  ).join('\n\n');

const plain = (markdown: string): string =>
  markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
const xml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The changelog as an Atom feed (RFC 4287). */
export function changelogFeed(addresses: DocsAddresses): string {
  const { docsUrl, supportEmail } = addresses;
  const entries = RELEASES.map((release) => {
    const { version, date, summary } = release;
    const link = `${docsUrl}/changelog#_${version.replaceAll('.', '-')}`;
    const text = plain(`${summary}\n${changesOf(release, addresses)}`);
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
  <updated>${RELEASES[0].date}T00:00:00Z</updated>
${entries.join('\n')}
</feed>
`;
}
