import { readFileSync } from 'node:fs';
import {
  appEndpoints,
  deskEndpoints,
  type Endpoint,
  ERROR_CODES,
  ERRORS,
  type ErrorCode,
  EXAMPLES,
  exampleProblem,
  firmEndpoints,
  type JsonSchema,
  openApiDocument,
  SCOPES,
  sandboxEndpoints,
} from '@svc/contract';
import { type PackedPackage, packages, packageUrl } from './packages.ts';
import type { DocsAddresses } from './pages.ts';

/** A part of a page, generated from the contract. Links to pages start with a slash: `/errors.md`. */
export type Block = (addresses: DocsAddresses) => string;

const FIRM = Object.values(firmEndpoints) as readonly Endpoint[];
const SANDBOX = Object.values(sandboxEndpoints) as readonly Endpoint[];
const APP = Object.values(appEndpoints) as readonly Endpoint[];
const DESK = Object.values(deskEndpoints) as readonly Endpoint[];

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const operationsWith = (code: ErrorCode, endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.filter(({ problems }) => problems.includes(code));

const PLACES = [
  ['[sandbox](/reference/sandbox.md)', SANDBOX],
  ['adjuster app', APP],
  ["firm's desk", DESK],
] as const;

const placesWith = (code: ErrorCode): readonly string[] =>
  PLACES.flatMap(([place, endpoints]) => (operationsWith(code, endpoints).length > 0 ? [place] : []));

/** Whether firm systems can receive the code, in the sandbox too; codes of the app and the desk are listed last. */
const isForFirms = (code: ErrorCode): boolean =>
  operationsWith(code, [...FIRM, ...SANDBOX]).length > 0 || placesWith(code).length === 0;

const orderedCodes = (): readonly ErrorCode[] => [
  ...ERROR_CODES.filter(isForFirms),
  ...ERROR_CODES.filter((code) => !isForFirms(code)),
];

const tableOfErrors = (codes: readonly ErrorCode[], note: (code: ErrorCode) => string = () => ''): string =>
  tableOf(
    ['Status', 'Code', 'Meaning'],
    codes.map((code) => [
      String(ERRORS[code].status),
      `[\`${code}\`](/errors.md#${code})`,
      `${ERRORS[code].title}${note(code)}`,
    ]),
  );

export const errorTable: Block = () =>
  tableOfErrors(orderedCodes(), (code) => (isForFirms(code) ? '' : ` (${placesWith(code).join(', ')})`));

export const errorEntries: Block = (addresses) =>
  orderedCodes()
    .map((code) => {
      const { status, title, cause, fix } = ERRORS[code];
      return `## ${code}\n\n\`${status}\` **${title}**\n\n**Cause.** ${inCode(cause)}\n\n**Fix.** ${inCode(fix)}\n\n${returnedBy(code)}\n\n${json(exampleProblem(code, addresses))}`;
    })
    .join('\n\n');

/** Formats the names of fields, headers and operations as code. */
const inCode = (text: string): string =>
  text.replace(
    /`[^`]*`|\b(?:(?:GET|POST|PUT|DELETE) \/v1\/\w+|[a-z]+(?:_[a-z]+)+|Authorization: Bearer|Content-Type: application\/json|Idempotency-Key|Retry-After|Content-Type)\b/g,
    (found) => (found.startsWith('`') ? found : `\`${found}\``),
  );

function returnedBy(code: ErrorCode): string {
  const firm = operationsWith(code, FIRM);
  const others = placesWith(code).map((place) => `the ${place}`);
  if (firm.length + others.length === 0) return '**Returned by** any request.';
  if (firm.length === FIRM.length) return '**Returned by** every operation.';
  if (firm.length === 0) return `**Returned by** ${new Intl.ListFormat('en').format(others)} only.`;
  const keyed = FIRM.filter(({ auth }) => auth === 'key');
  if (firm.length === keyed.length) return '**Returned by** every operation that needs a key.';
  return `**Returned by** ${firm.map((one) => `\`${nameOf(one)}\``).join(', ')}.`;
}

export const operationTable: Block = (addresses) => {
  const document = documentAt(addresses, 'firm');
  return tableOf(
    ['Operation', 'Description', 'Scope'],
    FIRM.map((one) => [`[\`${nameOf(one)}\`](${linkTo(one, document)})`, one.summary, scopeOf(one)]),
  );
};

const scopeOf = ({ scope }: Endpoint): string => (scope === null ? 'none' : `\`${scope}\``);

/** Programs in docs/quick-starts. */
const programsOf =
  (python: string, typeScript: string, java: string, cSharp: string): Block =>
  () => {
    const program = (label: string, language: string, name: string): string => {
      const file = new URL(`../../../docs/quick-starts/${name}`, import.meta.url);
      return `\`\`\`${language} [${label}]\n${readFileSync(file, 'utf8')}\`\`\``;
    };
    return [
      '::: code-group',
      program('Python', 'python', python),
      program('TypeScript', 'ts', typeScript),
      program('Java', 'java', java),
      program('C#', 'csharp', cSharp),
      ':::',
    ].join('\n\n');
  };

export const programs = programsOf('quick_start.py', 'quick-start.mts', 'QuickStart.java', 'QuickStart.cs');
export const receivers = programsOf(
  'webhook_receiver.py',
  'webhook-receiver.mts',
  'WebhookReceiver.java',
  'WebhookReceiver.cs',
);

/** What the desk shows as help, from its own file. */
interface DeskHelp {
  readonly trouble: string;
  readonly screens: Readonly<
    Record<
      string,
      {
        readonly purpose: string;
        readonly words: Readonly<Record<string, string>>;
        readonly trouble: Readonly<Record<string, string>>;
        readonly who: string;
        readonly guide: string;
      }
    >
  >;
}

/** The help of every screen of the desk. */
export const deskHelp: Block = () => {
  const file = new URL('../../desk/src/texts/help-en.json', import.meta.url);
  const help: DeskHelp = JSON.parse(readFileSync(file, 'utf8'));
  const list = (points: Readonly<Record<string, string>>): string =>
    Object.entries(points)
      .map(([term, text]) => `- **${term}**: ${text}`)
      .join('\n');
  return Object.entries(help.screens)
    .map(([screen, { purpose, words, trouble, who, guide }]) => {
      const link = guide === 'desk' ? '' : ` [Read more](/${guide}.md).`;
      return `## ${capitalized(screen)}\n\n${purpose} ${who}${link}\n\n${list(words)}\n\n${help.trouble}:\n\n${list(trouble)}`;
    })
    .join('\n\n');
};

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const packageTable = (
  addresses: DocsAddresses,
  packed: readonly PackedPackage[] = packages(),
): string =>
  tableOf(
    ['Package', 'Content', 'SHA-256'],
    packed.map(({ name, version, description, file, sha256 }) => [
      `[\`${name}\` ${version}](${packageUrl(file, addresses)})`,
      description,
      `\`${sha256}\``,
    ]),
  );

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly 'application/json'?: { readonly schema: JsonSchema } } }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** A short entry for each firm operation, with its id as anchor. */
export const operationList: Block = (addresses) => {
  const document = documentAt(addresses, 'firm');
  return FIRM.map((endpoint) =>
    [
      `## ${endpoint.summary} {#${endpoint.id}}`,
      `\`${nameOf(endpoint)}\``,
      inCode(endpoint.description),
      `[Parameters, fields, response and errors](${linkTo(endpoint, document)})`,
    ].join('\n\n'),
  ).join('\n\n');
};

const documentAt = (addresses: DocsAddresses, api: 'firm' | 'app'): Document =>
  openApiDocument({ ...addresses, version: '' }, { api }) as unknown as Document;

function linkTo(endpoint: Endpoint, document: Document): string {
  const page = operationOf(endpoint, document).tags[0]?.toLowerCase().replaceAll(' ', '-');
  return `/reference/${page}.md#${endpoint.id}`;
}

const linksTo = (endpoints: readonly Endpoint[], addresses: DocsAddresses): string => {
  const document = documentAt(addresses, 'firm');
  return endpoints.map((one) => `[${one.summary}](${linkTo(one, document)})`).join(', ');
};

export const operationsAddedIn = (version: string, addresses: DocsAddresses): string =>
  linksTo(
    [...FIRM, ...SANDBOX].filter(({ since }) => since === version),
    addresses,
  );

/** What a key with each scope may do. */
export const scopeTable: Block = (addresses) =>
  tableOf(
    ['Scope', 'Operations'],
    [...SCOPES, null].map((scope) => [
      scope === null ? 'any key' : `\`${scope}\``,
      linksTo(
        FIRM.filter((one) => one.auth === 'key' && one.scope === scope),
        addresses,
      ),
    ]),
  );

/** All operations with one tag: parameters, body, response, errors and samples; then the objects they return. */
export const operationsTagged =
  (tag: string, api: 'firm' | 'app' = 'firm'): Block =>
  (addresses) => {
    const document = documentAt(addresses, api);
    const tagged = (api === 'firm' ? [...FIRM, ...SANDBOX] : APP).filter((one) =>
      operationOf(one, document).tags.includes(tag),
    );
    const objects = new Set<string>();
    const operations = tagged.map((endpoint) => operationEntry(endpoint, document, objects, addresses));
    return [...operations, ...[...objects].map((name) => objectEntry(name, document))].join('\n\n');
  };

function operationOf({ path, method }: Endpoint, { paths }: Document): Operation {
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The OpenAPI document lacks ${method} ${path}.`);
  return operation;
}

/** @param objects collects the schemas used in responses, which are listed once per page. */
function operationEntry(
  endpoint: Endpoint,
  document: Document,
  objects: Set<string>,
  addresses: DocsAddresses,
): string {
  const operation = operationOf(endpoint, document);
  const { components } = document;
  const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES];
  const parts = [
    `## ${endpoint.summary} {#${endpoint.id}}`,
    `\`${nameOf(endpoint)}\``,
    inCode(endpoint.description),
    `Authentication: ${AUTHENTICATION[endpoint.auth]}. Scope: ${scopeOf(endpoint)}.${endpoint.since === undefined ? '' : ` Since version ${endpoint.since}.`}`,
    samples(endpoint, addresses),
  ];
  if (operation.parameters.length > 0) {
    const rows = operation.parameters.map((one) => [
      `\`${one.name}\``,
      `${one.in}${one.required ? ', required' : ''}`,
      typeOf(one.schema),
      one.description ?? '',
    ]);
    parts.push(
      `### Parameters {#${endpoint.id}-parameters}`,
      tableOf(['Name', 'In', 'Type', 'Description'], rows),
    );
  }
  const body = operation.requestBody?.content['application/json'].schema;
  if (body !== undefined) {
    parts.push(
      `### Body {#${endpoint.id}-body}`,
      tableOf(FIELD_HEAD, fieldRows(resolved(body, components), components)),
    );
  }
  const { status, description } = endpoint.success;
  const responseSchema = operation.responses[status]?.content?.['application/json']?.schema;
  parts.push(
    `### Response {#${endpoint.id}-response}`,
    `\`${status}\` ${description}${returnedObject(responseSchema, components, objects)}`,
  );
  if (example.response !== undefined) parts.push(json(example.response));
  parts.push(
    `### Errors {#${endpoint.id}-errors}`,
    tableOfErrors([...endpoint.problems].sort((one, other) => ERRORS[one].status - ERRORS[other].status)),
  );
  return parts.join('\n\n');
}

const AUTHENTICATION: Readonly<Record<Endpoint['auth'], string>> = {
  key: '`Authorization: Bearer` and an API key',
  session: '`Authorization: Bearer` and a session token of the app',
  staff: '`Authorization: Bearer` and a session token of a staff member',
  none: 'none',
};

const FIELD_HEAD = ['Field', 'Type', 'Description'];

/** Describes the object, or the page of objects, in a response. */
function returnedObject(
  schema: JsonSchema | undefined,
  components: Document['components'],
  objects: Set<string>,
): string {
  if (schema === undefined) return '';
  const item = resolved(schema, components).properties?.data?.items;
  const name = nameOfSchema(item ?? schema);
  if (Object.keys(resolved(item ?? schema, components).properties ?? {}).length === 0) return '';
  objects.add(name);
  const link = `[${name}](#${name})`;
  return item === undefined
    ? ` Returns ${link}.`
    : ` Returns \`data\`, an array of ${link}, and \`next_cursor\`: send it as \`cursor\` for the next page; \`null\` on the last page.`;
}

function objectEntry(name: string, { components }: Document): string {
  const rows = fieldRows(components.schemas[name] ?? {}, components);
  // `required` applies to requests only.
  const withoutRequired = rows.map((cells) => cells.map((cell) => cell.replace(/, required$/, '')));
  return `## ${name} object {#${name}}\n\n${tableOf(FIELD_HEAD, withoutRequired)}`;
}

/** The example request of an operation in curl, TypeScript and Python. */
function samples({ id, method, path, auth }: Endpoint, { baseUrl }: DocsAddresses): string {
  const { params = {}, search, headers = {}, body } = EXAMPLES[id as keyof typeof EXAMPLES];
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? '')}${search === undefined ? '' : `?${search}`}`;
  const token = auth === 'session' ? 'SESSION' : 'KEY';
  const all = [
    ...(auth === 'none' ? [] : [['Authorization', `Bearer $${token}`]]),
    ...(body === undefined ? [] : [['Content-Type', 'application/json']]),
    ...Object.entries(headers).map(([name, value]) => [
      name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  ];
  const inCode = (open: string, close: string, environment: string): string[] =>
    all.map(
      ([name, value]) =>
        `    "${name}": ${value?.includes('$') ? `${open}Bearer ${environment}${close}` : `"${value}"`},`,
    );
  const indented = (text: string): string => text.replaceAll('\n', '\n  ');
  const curl = [
    `curl "${url}"`,
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`]),
    ...all.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
  const typescript = [
    `const response = await fetch("${url}", {`,
    `  method: "${method}",`,
    ...(all.length === 0 ? [] : ['  headers: {', ...inCode('`', '`', `\${process.env.${token}}`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
    '});',
  ].join('\n');
  const python = [
    ...(auth === 'none' ? [] : ['import os']),
    'import requests\n',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(all.length === 0
      ? []
      : [
          '    headers={',
          ...inCode('f"', '"', `{os.environ['${token}']}`).map((line) => `    ${line}`),
          '    },',
        ]),
    ...(body === undefined ? [] : [`    json=${asPython(body).replaceAll('\n', '\n    ')},`]),
    ')',
  ].join('\n');
  return [
    '::: code-group',
    `\`\`\`bash [curl]\n${curl}\n\`\`\``,
    `\`\`\`ts [TypeScript]\n${typescript}\n\`\`\``,
    `\`\`\`python [Python]\n${python}\n\`\`\``,
    ':::',
  ].join('\n\n');
}

const asPython = (value: unknown): string =>
  JSON.stringify(value, null, 4).replace(
    /\b(true|false|null)\b(?=,?$)/gm,
    (word) => ({ true: 'True', false: 'False' })[word] ?? 'None',
  );

const nameOfSchema = ({ $ref }: JsonSchema): string => $ref?.split('/').at(-1) ?? '';

/** A reference can have its own description. */
const resolved = (schema: JsonSchema, { schemas }: Document['components']): JsonSchema => ({
  ...schemas[nameOfSchema(schema)],
  ...schema,
});

function fieldRows(schema: JsonSchema, components: Document['components'], prefix = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, unresolved]) => {
    const { field, orNull } = notNull(resolved(unresolved, components));
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ? ', required' : '';
    const row = [`\`${path}\``, `${typeOf(field)}${orNull}${required}`, field.description ?? ''];
    const inner = field.items === undefined ? field : resolved(field.items, components);
    return [row, ...fieldRows(inner, components, `${path}${field.items === undefined ? '' : '[]'}.`)];
  });
}

function notNull(schema: JsonSchema): { field: JsonSchema; orNull: string } {
  // An anyOf without null is about required fields; the fields are in the schema itself.
  if (!schema.anyOf?.some(({ type }) => type === 'null')) return { field: schema, orNull: '' };
  return { field: schema.anyOf.find(({ type }) => type !== 'null') ?? schema, orNull: ' or null' };
}

function typeOf(schema: JsonSchema): string {
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (values !== undefined && values.length <= 12) return values.map((value) => `\`${value}\``).join(' ');
  if (values !== undefined) return `one of [${values.length} values](/flood.md)`;
  const kind = schema.format ?? schema.type ?? 'value';
  const { minLength, maxLength, minimum, maximum, maxItems } = schema;
  if (maxLength !== undefined) return `${kind}, ${minLength ?? 0} to ${maxLength} characters`;
  if (maximum !== undefined) return `${kind}, ${minimum ?? 0} to ${maximum.toLocaleString('en-US')}`;
  if (maxItems !== undefined) return `${kind}, at most ${maxItems}`;
  return kind;
}
