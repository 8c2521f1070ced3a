import type { Heading } from './markdown.ts';
import { escapeHtml } from './markdown.ts';
import { PAGES, type PageEntry, SITE } from './pages.ts';

/** Where things lie, as paths: the site is read under whatever name the browser reached it. */
export interface Paths {
  page(name: string): string;
  markdown(name: string): string;
  asset(name: string): string;
  readonly openApi: string;
}

const NAME = 'Claim Assignment';

const head = (title: string, description: string, paths: Paths, more = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${paths.asset('icon.svg')}" type="image/svg+xml">
<script src="${paths.asset('theme.js')}"></script>
<link rel="stylesheet" href="${paths.asset('frame.css')}">
${more}</head>
`;

const header = (paths: Paths): string => `<a class="site-skip" href="#content">Skip to the text</a>
<header class="site-bar">
<button type="button" class="site-icon site-menu-button" aria-label="Menu" aria-expanded="false" aria-controls="menu"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16"/></svg></button>
<a class="site-brand" href="${paths.page('index')}" aria-label="${NAME}: overview"><img src="${paths.asset('icon.svg')}" alt="" width="24" height="24"><span>${NAME} <small>docs</small></span></a>
<div class="site-search" role="search"><input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" data-index="${paths.asset('search.json')}"><kbd>/</kbd><div class="site-results" hidden></div></div>
<a class="site-bar-link" href="${paths.page('reference')}">API reference</a>
<button type="button" class="site-icon theme-button" aria-label="Light or dark"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.500 10.500z"/></svg></button>
</header>
`;

function menu(current: string, paths: Paths): string {
  const groups = SITE.map(({ title, pages }) => {
    const items = pages.map(
      (page) =>
        `<li><a href="${paths.page(page.name)}"${page.name === current ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`,
    );
    return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
  });
  return `<nav id="menu" class="site-menu" aria-label="Pages">${groups.join('')}</nav>\n`;
}

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<aside class="site-contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>\n`;
}

function neighbours(current: PageEntry, paths: Paths): string {
  const at = PAGES.indexOf(current);
  const link = (page: PageEntry | undefined, kind: 'before' | 'after'): string =>
    page === undefined
      ? '<span></span>'
      : `<a class="${kind}" href="${paths.page(page.name)}"><small>${kind === 'before' ? 'Before' : 'Next'}</small>${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Neighboring pages">${link(PAGES[at - 1], 'before')}${link(PAGES[at + 1], 'after')}</nav>`;
}

export function pageHtml(
  page: PageEntry,
  text: { readonly html: string; readonly headings: readonly Heading[] },
  paths: Paths,
): string {
  const title = page.name === 'index' ? `${NAME} documentation` : `${page.title} · ${NAME}`;
  return `${head(title, page.description, paths, `<link rel="stylesheet" href="${paths.asset('docs.css')}">\n<script src="${paths.asset('docs.js')}" defer></script>\n`)}<body>
${header(paths)}<div class="site-frame">
${menu(page.name, paths)}<main id="content">
<article>
${text.html}</article>
<footer>${neighbours(page, paths)}<p class="fine"><a href="${paths.markdown(page.name)}">This page as Markdown</a> · <a href="${paths.openApi}">OpenAPI document</a></p></footer>
</main>
${contents(text.headings)}</div>
</body>
</html>
`;
}

/** The reference is drawn in the browser, from the document that generators read as well. */
export function referenceHtml(page: PageEntry, paths: Paths): string {
  const scripts = ['scalar.js', 'reference.js']
    .map((name) => `<script src="${paths.asset(name)}" defer></script>\n`)
    .join('');
  return `${head(`${page.title} · ${NAME}`, page.description, paths, `<script src="${paths.asset('docs.js')}" defer></script>\n${scripts}`)}<body class="wide">
${header(paths)}${menu(page.name, paths)}<div id="reference" data-document="${paths.openApi}"><p class="waiting">Drawing the reference …</p></div>
<noscript><p class="waiting">This page is drawn by a script. Without one, read it <a href="${paths.markdown(page.name)}">as Markdown</a>.</p></noscript>
</body>
</html>
`;
}
