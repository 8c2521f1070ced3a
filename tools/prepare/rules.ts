// Generates the page of the domain's rules from the comments of its exported functions.
import { readdirSync, readFileSync } from 'node:fs';
import * as domain from '@svc/domain';

export const RULES_FILE = new URL('../../packages/domain/RULES.md', import.meta.url);
const SOURCES = new URL('src/', RULES_FILE);

const HEADER = `# Rules

Every exported function, its rule, and the \`code\` of the \`DomainError\` it throws.

Times (\`Instant\`) are milliseconds since 1970-01-01T00:00:00Z. Dates (\`CalendarDate\`) are \`YYYY-MM-DD\` and compare as text.
Days and times of day are those of a clock in a time zone, named as in the IANA database. Limits count requests per minute.
A function that takes a value returns a new one and leaves its argument as it is.
`;

const DOCUMENTED = /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:function|const|class) (\w+)/gm;

function row(name: string, comment: string): string {
  const text = comment
    .replace(/\s*\n \*/g, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace('@returns', 'Returns')
    .replace(/@param (\w+)/, '`$1`:');
  const [rule = '', errors = ''] = text.split('@throws');
  return `| \`${name}\` | ${rule.trim()} | ${errors.trim()} |`;
}

/** A section for each source file. */
export function rulesPage(): string {
  const missing = new Set(
    Object.entries(domain).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  );
  const sections = readdirSync(SOURCES).flatMap((file) => {
    const source = readFileSync(new URL(file, SOURCES), 'utf8');
    const rows = [...source.matchAll(DOCUMENTED)]
      .filter(([, , name = '']) => missing.delete(name))
      .map(([, comment = '', name = '']) => row(name, comment));
    const title = file.charAt(0).toUpperCase() + file.slice(1, -3).replaceAll('-', ' ');
    const table = ['| Function | Rule | Errors |', '| --- | --- | --- |', ...rows].join('\n');
    return rows.length === 0 ? [] : [`## ${title}\n\n${table}\n`];
  });
  if (missing.size > 0) throw new Error(`Describe the rule of ${[...missing].join(', ')} in a comment.`);
  return [HEADER, ...sections.sort()].join('\n');
}
