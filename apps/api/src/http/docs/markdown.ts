import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { Marked, type Tokens } from 'marked';

for (const [name, language] of Object.entries({ bash, http, json, python, typescript })) {
  hljs.registerLanguage(name, language);
}
hljs.registerAliases(['ts'], { languageName: 'typescript' });

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Plain text under each heading, for the search. */
  readonly sections: readonly { readonly id: string; readonly title: string; readonly text: string }[];
}

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign,
  );

/** Letters, digits and underscores stay, so that an error code is its own anchor. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, '-')
    .replace(/^-|-$/g, '');

const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

/** @param addressOf where a link to another page of the documentation leads, such as `errors.md#not_found`. */
export function render(markdown: string, addressOf: (page: string) => string): Rendered {
  const headings: Heading[] = [];
  const sections: { id: string; title: string; text: string }[] = [];
  const taken = new Map<string, number>();
  const unique = (wanted: string): string => {
    const before = taken.get(wanted) ?? 0;
    taken.set(wanted, before + 1);
    return before === 0 ? wanted : `${wanted}-${before}`;
  };
  const note = (text: string): void => {
    const last = sections.at(-1);
    if (last !== undefined) last.text += `${text.replace(/\s+/g, ' ').trim()} `;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        const text = plain(html);
        const id = unique(slug(text));
        headings.push({ depth, id, text });
        if (depth < 3) sections.push({ id: depth === 1 ? '' : id, title: text, text: '' });
        if (depth === 1) return `<h1>${html}</h1>\n`;
        return `<h${depth} id="${id}">${html}<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a></h${depth}>\n`;
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const html = this.parser.parseInline(tokens);
        note(plain(html));
        return `<p>${html}</p>\n`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        const [language = '', ...marks] = lang.split(/\s+/);
        const html = hljs.getLanguage(language)
          ? hljs.highlight(text, { language, ignoreIllegals: true }).value
          : escapeHtml(text);
        const kind = marks.includes('output') ? 'output' : 'source';
        // Focusable, since a box that scrolls must be reachable without a mouse.
        return `<div class="code ${kind}" data-language="${escapeHtml(language)}"><pre tabindex="0"><code>${html}</code></pre></div>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th'): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        for (const cells of token.rows) {
          note(cells.map(({ tokens }) => plain(this.parser.parseInline(tokens))).join(' '));
        }
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${token.rows
          .map((cells) => row(cells, 'td'))
          .join('')}</tbody></table></div>\n`;
      },
      // A long name may break behind its underscores rather than anywhere, or push a table off a phone's screen.
      codespan({ text }: Tokens.Codespan) {
        return `<code>${escapeHtml(text).replace(/(?<=\w)_(?=\w)/g, '_<wbr>')}</code>`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(isPage(href) ? addressOf(href) : href)}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { html, headings, sections };
}

/** A link to another page is written as its file, so that it works wherever the sources are read. */
const isPage = (href: string): boolean => /^[\w-]+\.md(#.*)?$/.test(href);

/** The same page for readers of Markdown, with links that work from wherever it was saved to. */
export const withAbsoluteLinks = (markdown: string, docsUrl: string): string =>
  markdown.replace(/\]\(([\w-]+\.md(?:#[^)]*)?)\)/g, (_, href: string) => `](${docsUrl}/${href})`);
