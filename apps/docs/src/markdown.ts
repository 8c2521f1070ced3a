import { type DocsAddresses, SITE } from './pages.ts';

/** A page as plain Markdown: absolute links, without VitePress syntax. */
export function asMarkdown(name: string, text: string, { docsUrl }: DocsAddresses): string {
  return text
    .replace(/\]\(#/g, `](${docsUrl}/${name}#`)
    .replace(/\]\(\/?([\w/-]+\.md(?:#[^)]*)?)\)/g, `](${docsUrl}/$1)`)
    .replace(/ \{#\w[\w-]*\}$/gm, '')
    .replace(/^:::.*\n\n?/gm, '');
}

/** The list of pages in the format of https://llmstxt.org. */
export function llmsTxt({ baseUrl, docsUrl }: DocsAddresses): string {
  const groups = SITE.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${docsUrl}/${page.name}.md): ${page.description}`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const summary =
    'REST API for flood-insurance adjusting firms: send claims to adjusters, offer them to others after a rejection, and poll for the responses.';
  const files = [
    `- [OpenAPI 3.1](${baseUrl}/openapi.json): every operation, schema and example`,
    `- [OpenAPI 3.0](${baseUrl}/openapi-3.0.json): the same for older generators`,
    `- [MCP server](${docsUrl}/mcp.md): the operations as tools, at \`POST ${baseUrl}/mcp\` with the firm's key`,
    `- [Packages](${docsUrl}/packages/index.md): TypeScript SDK and command line, installed from this service`,
    `- [Postman collection](${docsUrl}/postman.json): every operation as a request`,
  ];
  return `# Claim Assignment\n\n> ${summary}\n\n${files.join('\n')}\n\n${groups.join('\n\n')}\n`;
}
