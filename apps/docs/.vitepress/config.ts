import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig } from 'vitepress';
import { ASSETS, PATH, PLACEHOLDERS } from '../src/addresses.ts';
import { NAME, PAGES, SITE } from '../src/pages.ts';

// Colors of code as classes: the Content-Security-Policy allows only the style attributes whose hashes it lists.
const codeColors = transformerStyleToClass();
const linkOf = (name: string): string => (name === 'index' ? '/' : `/${name.replace(/\/index$/, '/')}`);

/**
 * The theme's search box puts controls into a button and links into options, which axe reports as nested-interactive.
 * These replacements make it a dialog with a list of links, all accessible to screen readers.
 */
const SEARCH_BOX: readonly (readonly [string, string])[] = [
  ['role="button"', 'role="dialog" aria-modal="true"'],
  [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
  ['aria-expanded="true"', ''],
  ['aria-haspopup="listbox"', ''],
  [`:role="results?.length ? 'listbox' : undefined"`, ''],
  [`:aria-selected="selectedIndex === index ? 'true' : 'false'"`, ''],
  ['role="option"', ''],
  [`:aria-label="[...p.titles, p.title].join(' > ')"`, ''],
  // aria-label requires a role; the keys are icons.
  ['<kbd :aria-label', '<kbd role="img" :aria-label'],
];

const accessibleSearch = {
  name: 'accessible-search',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return undefined;
    return SEARCH_BOX.reduce((changed, [from, to]) => {
      if (!changed.includes(from)) throw new Error(`The search box of VitePress no longer contains ${from}.`);
      return changed.replaceAll(from, to);
    }, code);
  },
};

export default defineConfig({
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  assetsDir: ASSETS,
  base: PATH,
  cleanUrls: true,
  metaChunk: true,
  lang: 'en-US',
  title: `${NAME} documentation`,
  titleTemplate: `:title · ${NAME}`,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${PATH}icon.svg` }],
    ['link', { rel: 'stylesheet', href: `${PATH}${ASSETS}/code.css` }],
  ],
  // Switching would insert a style element for a moment, which the Content-Security-Policy forbids.
  appearance: { disableTransition: false },
  vite: {
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    logLevel: 'warn',
    plugins: [accessibleSearch],
    // Links to Markdown are not handled by the client-side router.
    define: { 'import.meta.env.VITE_EXTRA_EXTENSIONS': JSON.stringify('md') },
    build: { reportCompressedSize: false },
  },
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [codeColors],
    anchor: {
      slugify: (text) =>
        text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}_]+/gu, '-')
          .replace(/^-|-$/g, ''),
    },
    externalLinks: { target: '_self' },
    config(md) {
      // A table that scrolls sideways must be reachable by keyboard.
      md.renderer.rules.table_open = () => '<table tabindex="0">\n';
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const html = fence?.(tokens, index, ...rest) ?? '';
        return tokens[index]?.info.endsWith(' output') ? html.replace('class="', 'class="output ') : html;
      };
    },
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    siteTitle: NAME,
    nav: [
      { text: 'API reference', link: '/reference', activeMatch: '/reference' },
      { text: 'Errors', link: '/errors' },
      { text: 'OpenAPI', link: `${PLACEHOLDERS.baseUrl}/openapi.json`, target: '_self', noIcon: true },
    ],
    sidebar: SITE.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: linkOf(page.name) })),
    })),
    outline: { level: [2, 2], label: 'On this page' },
    editLink: { pattern: `${PATH}:path`, text: 'This page as Markdown' },
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { combineWith: 'AND', prefix: true, fuzzy: 0.2 } },
        // Excludes colors of code, the placeholders, and the reference overview, which repeats the pages below it.
        _render: (source, env, md) => {
          if (env.relativePath === 'reference.md') return '';
          const { highlight } = md.options;
          md.options.highlight = (code) => code.replace(/[&<]/g, ' ');
          const html = md.render(source, env);
          md.options.highlight = highlight;
          return html.replaceAll(PLACEHOLDERS.baseUrl, '').replaceAll(PLACEHOLDERS.docsUrl, '');
        },
      },
    },
  },
  transformPageData(data) {
    const page = PAGES.find(({ name }) => `${name}.md` === data.relativePath);
    return { title: page?.title ?? 'Not found', description: page?.description ?? '' };
  },
  transformHtml(html, file) {
    // Served as `/docs`, from which relative links lead to `/`. The script changes the address to `/docs/`.
    if (file.endsWith('/index.html')) return html.replaceAll('href="./', `href="${PATH}`);
    if (!file.endsWith('/404.html')) return html;
    // VitePress renders this page in the browser only; without JavaScript, the noscript text is shown.
    return html
      .replace('<title>404', '<title>Page not found')
      .replace(
        '<div id="app"></div>',
        `$&<noscript>Page not found. <a href="${PATH}">Overview</a></noscript>`,
      );
  },
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, ASSETS, 'code.css'), codeColors.getCSS()),
});
