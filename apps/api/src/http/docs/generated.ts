import {
  appEndpoints,
  type Endpoint,
  ERROR_CODES,
  ERRORS,
  type ErrorCode,
  EXAMPLES,
  exampleProblem,
  firmEndpoints,
  openApiDocument,
} from '@svc/contract';
import type { DocsAddresses } from './pages.ts';

/** A part of a page that is made out of the contract. */
export type Block = (addresses: DocsAddresses) => string;

const FIRM = Object.values(firmEndpoints) as readonly Endpoint[];
const APP = Object.values(appEndpoints) as readonly Endpoint[];

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const answers = (code: ErrorCode, endpoints: readonly Endpoint[]): readonly Endpoint[] =>
  endpoints.filter(({ problems }) => problems.includes(code));

/** Codes that only the adjuster's app can meet come last: a firm's system never sees them. */
const forFirms = (code: ErrorCode): boolean =>
  answers(code, FIRM).length > 0 || answers(code, APP).length === 0;

const inOrder = (): readonly ErrorCode[] => [
  ...ERROR_CODES.filter(forFirms),
  ...ERROR_CODES.filter((code) => !forFirms(code)),
];

export const errorTable: Block = () =>
  tableOf(
    ['Status', 'Code', 'In short'],
    inOrder().map((code) => [
      String(ERRORS[code].status),
      `[\`${code}\`](errors.md#${code})`,
      `${ERRORS[code].title}${forFirms(code) ? '' : ' (adjuster app)'}`,
    ]),
  );

export const errorEntries: Block = (addresses) =>
  inOrder()
    .map((code) => {
      const { status, title, cause, fix } = ERRORS[code];
      return `## ${code}\n\n\`${status}\` **${title}**\n\n**Cause.** ${inCode(cause)}\n\n**Fix.** ${inCode(fix)}\n\n${whereMet(code)}\n\n${json(exampleProblem(code, addresses))}`;
    })
    .join('\n\n');

/** Names of fields, headers and operations stand out. */
const inCode = (text: string): string =>
  text.replace(
    /\b(?:(?:GET|POST|DELETE) \/v1\/\w+|[a-z]+(?:_[a-z]+)+|Authorization: Bearer|Content-Type: application\/json|Idempotency-Key|Retry-After|Content-Type)\b/g,
    '`$&`',
  );

function whereMet(code: ErrorCode): string {
  const firm = answers(code, FIRM);
  const app = answers(code, APP);
  if (firm.length + app.length === 0) return '**Met by** any request.';
  if (firm.length === FIRM.length) return '**Met by** every operation.';
  if (firm.length === 0) return '**Met by** the adjuster app only.';
  const keyed = FIRM.filter(({ auth }) => auth === 'key');
  if (firm.length === keyed.length) return '**Met by** every operation that needs a key.';
  return `**Met by** ${firm.map((one) => `\`${nameOf(one)}\``).join(', ')}.`;
}

export const operationTable: Block = () =>
  tableOf(
    ['Operation', 'Does', 'Scope'],
    FIRM.map((one) => [
      `[\`${nameOf(one)}\`](reference.md#${one.id})`,
      one.summary,
      one.scope === null ? 'none' : `\`${one.scope}\``,
    ]),
  );

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly 'x-extensible-enum'?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: { readonly 'application/json'?: { readonly schema: JsonSchema } };
      }
    >
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The reference in words and tables, for readers without a browser. */
export const operationEntries: Block = (addresses) => {
  const document = openApiDocument({ ...addresses, version: '' }) as unknown as Document;
  const told = new Set<string>();
  return FIRM.map((endpoint) => operationEntry(endpoint, document, told)).join('\n\n');
};

function operationEntry(endpoint: Endpoint, { paths, components }: Document, told: Set<string>): string {
  const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()];
  if (operation === undefined) return '';
  const example = EXAMPLES[endpoint.id as keyof typeof EXAMPLES];
  const body = operation.requestBody?.content['application/json'].schema;
  const scope = endpoint.scope === null ? '' : ` Needs the scope \`${endpoint.scope}\`.`;
  const parts = [
    `## ${endpoint.id}`,
    `\`${nameOf(endpoint)}\` **${endpoint.summary}**`,
    `${endpoint.description}${scope}`,
  ];
  if (operation.parameters.length > 0) {
    const rows = operation.parameters.map((one) => [
      `\`${one.name}\``,
      `${one.in}${one.required ? ', required' : ''}`,
      kindOf(one.schema),
      one.description ?? '',
    ]);
    parts.push('### Parameters', tableOf(['Name', 'Where', 'Kind', 'What it is'], rows));
  }
  if (body !== undefined) {
    const schema = resolved(body, components);
    const rows = fieldRows(schema, components, '');
    parts.push('### Body', tableOf(['Field', 'Kind', 'What it is'], rows));
    if (example.body !== undefined) parts.push(json(example.body));
  }
  parts.push(
    '### Answers',
    tableOf(
      ['Status', 'What it means'],
      Object.entries(operation.responses).map(([status, { description }]) => [status, description]),
    ),
  );
  const answer = operation.responses[endpoint.success.status]?.content?.['application/json']?.schema.$ref;
  // Told once, and a page is a list of what is told elsewhere.
  if (answer !== undefined && !answer.endsWith('Page') && !told.has(answer)) {
    told.add(answer);
    const sent = body === undefined ? undefined : resolved(body, components);
    const rows = answeredRows(resolved({ $ref: answer }, components), sent, components);
    if (rows.length > 0) {
      if (sent !== undefined) parts.push('The answer holds what was sent, and:');
      parts.push(tableOf(['Field', 'Kind', 'What it is'], rows));
    }
  }
  if (example.response !== undefined) parts.push(json(example.response));
  return parts.join('\n\n');
}

const resolved = (schema: JsonSchema, { schemas }: Document['components']): JsonSchema =>
  (schema.$ref === undefined ? undefined : schemas[schema.$ref.split('/').at(-1) ?? '']) ?? schema;

/** In an answer nothing is required of the reader. */
const answeredRows = (
  { properties = {} }: JsonSchema,
  sent: JsonSchema | undefined,
  components: Document['components'],
): string[][] =>
  Object.entries(properties)
    .filter(([name]) => !(name in (sent?.properties ?? {})))
    .flatMap(([name, field]) => fieldRows({ properties: { [name]: field } }, components, ''))
    .map((cells) => cells.map((cell) => cell.replace(/, required$/, '')));

function fieldRows(schema: JsonSchema, components: Document['components'], prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, unresolved]) => {
    const { field, orNull } = notNull(resolved(unresolved, components));
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ? ', required' : '';
    const row = [`\`${path}\``, `${kindOf(field)}${orNull}${required}`, field.description ?? ''];
    const inner = field.items === undefined ? field : resolved(field.items, components);
    return [row, ...fieldRows(inner, components, `${path}${field.items === undefined ? '' : '[]'}.`)];
  });
}

function notNull(schema: JsonSchema): { field: JsonSchema; orNull: string } {
  // An anyOf without null says which members must come together; the schema itself lists them.
  if (!schema.anyOf?.some(({ type }) => type === 'null')) return { field: schema, orNull: '' };
  return { field: schema.anyOf.find(({ type }) => type !== 'null') ?? schema, orNull: ' or null' };
}

function kindOf(schema: JsonSchema): string {
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (values !== undefined && values.length <= 12) return values.map((value) => `\`${value}\``).join(' ');
  if (values !== undefined) return `one of [${values.length} values](flood.md)`;
  const kind = schema.format ?? schema.type ?? 'value';
  const { minLength, maxLength, minimum, maximum, maxItems } = schema;
  if (maxLength !== undefined) return `${kind}, ${minLength ?? 0} to ${maxLength} characters`;
  if (maximum !== undefined) return `${kind}, ${minimum ?? 0} to ${maximum.toLocaleString('en-US')}`;
  if (maxItems !== undefined) return `${kind}, at most ${maxItems}`;
  return kind;
}
