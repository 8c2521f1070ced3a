import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { INTERFACE_VERSION, openApiDocument } from '@svc/contract';
import { type Content, contentOf } from '../static/compression.ts';
import { readAssets } from './assets.ts';
import { type Rendered, render, withAbsoluteLinks } from './markdown.ts';
import { type DocsAddresses, PAGES, type PageEntry, SITE } from './pages.ts';
import { type Paths, pageHtml, referenceHtml } from './template.ts';
import { filledIn } from './values.ts';

const GUIDES = new URL('../../../../../docs/guides/', import.meta.url);

/** Everything the documentation consists of, by its path. */
export interface Site {
  at(path: string): Served | undefined;
}

export interface Served {
  readonly content: Content;
  /** Under this path there will never be anything else. */
  readonly immutable: boolean;
  /** The reference's renderer sets styles of its own; no other page may. */
  readonly inlineStyles: boolean;
}

/** The text of a page with its numbers filled in, as it goes out in Markdown and is drawn from in HTML. */
const pageSource = (name: string, addresses: DocsAddresses): string =>
  filledIn(readFileSync(fileURLToPath(new URL(`${name}.md`, GUIDES)), 'utf8'), addresses);

/** Made once for each pair of addresses: they are known only after the service listens. */
export function createSite(addresses: DocsAddresses): Site {
  const prefix = new URL(addresses.baseUrl).pathname.replace(/\/$/, '');
  const assets = new Map(readAssets());
  const sources = new Map(PAGES.map(({ name }) => [name, pageSource(name, addresses)]));
  const served = new Map<string, Served>();
  const plain = { immutable: false, inlineStyles: false };
  const document = openApiDocument({ ...addresses, version: INTERFACE_VERSION });
  const places = drawnPlaces(document as unknown as Operations);

  const address = (page: string): string => {
    const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(page) ?? [];
    if (!sources.has(name))
      throw new Error(`A page of the documentation links to ${page}, which is not there.`);
    return `${paths.page(name)}${name === 'reference' ? (places.get(anchor) ?? anchor) : anchor}`;
  };
  const tagged = (name: string): string => `${assets.get(name)?.tag ?? ''}-${name}`;
  const paths: Paths = {
    page: (name) => (name === 'index' ? `${prefix}/docs` : `${prefix}/docs/${name}`),
    markdown: (name) => `${prefix}/docs/${name}.md`,
    asset: (name) => `${prefix}/docs/assets/${tagged(name)}`,
    openApi: `${prefix}/openapi.json`,
  };

  const rendered = new Map<PageEntry, Rendered>(
    PAGES.map((page) => [page, render(sources.get(page.name) ?? '', address)]),
  );
  assets.set('search.json', contentOf('search.json', JSON.stringify(searchIndex(rendered, paths))));

  for (const [page, text] of rendered) {
    const isReference = page.name === 'reference';
    const html = isReference ? referenceHtml(page, paths) : pageHtml(page, text, paths);
    const path = page.name === 'index' ? '/docs' : `/docs/${page.name}`;
    served.set(path, { ...plain, content: contentOf('.html', html), inlineStyles: isReference });
    const markdown = withAbsoluteLinks(sources.get(page.name) ?? '', addresses.docsUrl);
    served.set(`/docs/${page.name}.md`, { ...plain, content: contentOf('.md', markdown) });
  }
  for (const [name, content] of assets) {
    served.set(`/docs/assets/${tagged(name)}`, { ...plain, content, immutable: true });
  }
  served.set('/llms.txt', { ...plain, content: contentOf('.txt', forModels(addresses)) });
  served.set('/openapi.json', { ...plain, content: contentOf('.json', JSON.stringify(document)) });
  return { at: (path) => served.get(path) };
}

interface Operations {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly tags: readonly string[] }>>
    >
  >;
}

/** Where the reference's renderer opens for the anchor of an operation in the Markdown. */
const drawnPlaces = ({ paths }: Operations): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, tags }]) => [
        `#${operationId}`,
        `#tag/${tags[0]?.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path}`,
      ]),
    ),
  );

/** By the convention of llms.txt: what there is to read, with a line on each. */
function forModels({ docsUrl, baseUrl }: DocsAddresses): string {
  const groups = SITE.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${docsUrl}/${page.name}.md): ${page.description}`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const summary =
    'REST service by which flood-insurance adjusting firms send claims to adjusters, offer them again, and poll for the answers.';
  return `# Claim Assignment\n\n> ${summary}\n\n- [OpenAPI 3.1](${baseUrl}/openapi.json): every operation, schema and example\n\n${groups.join('\n\n')}\n`;
}

const searchIndex = (rendered: ReadonlyMap<PageEntry, Rendered>, paths: Paths) =>
  [...rendered].flatMap(([page, { sections }]) =>
    sections.map(({ id, title, text }) => ({
      page: page.title,
      title,
      // The reference is drawn by a script, which names its places in its own way and has a search of its own.
      text: page.name === 'reference' ? '' : text.trim(),
      href: id === '' || page.name === 'reference' ? paths.page(page.name) : `${paths.page(page.name)}#${id}`,
    })),
  );
