// Generates the SDK's types from the OpenAPI document, and its table of operations from the contract. openapi-typescript
// would lose the descriptions of fields that are null or refer to a named schema.
import {
  type Endpoint,
  firmEndpoints,
  type JsonSchema,
  NON_RESIDENTIAL_BUILDING_TYPES,
  NON_RESIDENTIAL_OCCUPANCY_TYPES,
  openApiDocument,
  RESIDENTIAL_BUILDING_TYPES,
  RESIDENTIAL_OCCUPANCY_TYPES,
  sandboxEndpoints,
} from '@svc/contract';

export const CLIENT_TYPES_FILE = new URL('../../packages/client/src/generated.ts', import.meta.url);

const HEADER = `// Generated from the contract by \`pnpm prepare\`, and not in git.

/** A value that is known today, or another that the service adds later. */
type Open<Known extends string> = Known | (string & {});

/** A first and last name, a company name, or all three. */
type Named =
  | { first_name: string; last_name: string }
  | { company_name: string; first_name?: undefined; last_name?: undefined };

/** A phone number, an email address, or both. */
type Reachable = { phone: string } | { email: string };

/** Both of the same class; without an occupancy, the building is residential. */
type OccupancyPair =
  | { occupancy_type: ResidentialOccupancyType; building_type?: ResidentialBuildingType | undefined }
  | { occupancy_type: NonResidentialOccupancyType; building_type?: NonResidentialBuildingType | undefined }
  | { occupancy_type?: undefined; building_type?: ResidentialBuildingType | undefined };
`;

/** Types that enforce rules across fields, by schema name. */
const CROSS_FIELD_TYPES: Readonly<Record<string, string>> = {
  AgentInput: 'Named',
  BuildingInput: 'OccupancyPair',
  ContactInput: 'Named',
  MortgageeInput: 'Named',
  PolicyholderInput: 'Named & Reachable',
};

const union = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(' | ');

const RESIDENTIAL_CLASSES = {
  ResidentialOccupancyType: RESIDENTIAL_OCCUPANCY_TYPES,
  NonResidentialOccupancyType: NON_RESIDENTIAL_OCCUPANCY_TYPES,
  ResidentialBuildingType: RESIDENTIAL_BUILDING_TYPES,
  NonResidentialBuildingType: NON_RESIDENTIAL_BUILDING_TYPES,
} as const;

/** The named schemas of the firm API as TypeScript. */
export function clientTypes(): string {
  const document = openApiDocument({
    baseUrl: 'https://claims.example.com',
    docsUrl: 'https://claims.example.com/docs',
    version: '',
    supportEmail: 'support@example.com',
  }) as unknown as { components: { schemas: Readonly<Record<string, JsonSchema>> } };
  const { schemas } = document.components;
  const classes = Object.entries(RESIDENTIAL_CLASSES).map(
    ([name, values]) => `export type ${name} = ${union(values)};\n`,
  );
  const named = Object.entries(schemas)
    // The response of the health check, which the client does not return.
    .filter(([, { type, properties = {} }]) => type !== 'object' || Object.keys(properties).length > 0)
    .map(([name, schema]) => declaration(name, schema, schemas));
  return [HEADER, ...classes, ...named, operations()].join('\n');
}

/** The method and path of each operation, and what it takes besides parameters and a body. */
function operations(): string {
  const all: readonly Endpoint[] = Object.values({ ...firmEndpoints, ...sandboxEndpoints });
  const lines = all.map(({ id, method, path, auth, headers }) => {
    const operation = {
      method,
      path,
      ...(auth === 'none' && { open: true }),
      ...(headers !== undefined && { idempotencyKey: true }),
    };
    return `${id}: ${JSON.stringify(operation)},`;
  });
  return `export const OPERATIONS = {\n${lines.join('\n')}\n} as const;\n\nexport type OperationId = keyof typeof OPERATIONS;\n`;
}

type Schemas = Readonly<Record<string, JsonSchema>>;

function declaration(name: string, schema: JsonSchema, schemas: Schemas): string {
  const doc = comment(schema, '');
  if (schema.type !== 'object') return `${doc}export type ${name} = ${typeOf(schema, schemas, name)};\n`;
  const isInput = /(Input|Request)$/.test(name);
  const fields = Object.entries(schema.properties ?? {}).map(([field, value]) => {
    const isRequired = schema.required?.includes(field);
    const type = typeOf(value, schemas);
    const optional = isInput ? `${type} | undefined` : type;
    return `${comment(describedSchema(value, schemas), '  ')}  ${field}${isRequired ? '' : '?'}: ${isRequired ? type : optional};\n`;
  });
  const body = `{\n${fields.join('')}}`;
  const rule = CROSS_FIELD_TYPES[name];
  return rule === undefined
    ? `${doc}export interface ${name} ${body}\n`
    : `interface ${name}Fields ${body}\n\n${doc}export type ${name} = ${name}Fields & ${rule};\n`;
}

function typeOf(schema: JsonSchema, schemas: Schemas, ownName?: string): string {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.anyOf !== undefined) return schema.anyOf.map((variant) => typeOf(variant, schemas)).join(' | ');
  if (schema.enum !== undefined) return namedUnion(schema.enum, schemas);
  const known = schema['x-extensible-enum'];
  if (known !== undefined) {
    const namedEnum = Object.entries(schemas).find(([, { enum: values }]) => values?.join() === known.join());
    return namedEnum === undefined || namedEnum[0] === ownName
      ? `Open<${union(known)}>`
      : `Open<${namedEnum[0]}>`;
  }
  if (schema.type === 'array' && schema.items !== undefined)
    return `readonly ${typeOf(schema.items, schemas)}[]`;
  if (schema.const !== undefined) return union([schema.const]);
  const type = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }[
    schema.type ?? ''
  ];
  if (type === undefined) throw new Error(`A schema of type ${schema.type} needs a name.`);
  return type;
}

/** Of the states, those of an address have a name, to which mail adds others. */
function namedUnion(values: readonly string[], schemas: Schemas): string {
  const [name, { enum: part = [] }] = Object.entries(schemas)
    .filter(([, one]) => one.enum !== undefined && one.enum.length < values.length)
    .find(([, one]) => one.enum?.every((value) => values.includes(value))) ?? ['', {}];
  return [name, union(values.filter((value) => !part.includes(value)))].filter(Boolean).join(' | ');
}

const nameOf = ({ $ref = '' }: JsonSchema): string => $ref.split('/').at(-1) ?? '';

/** The schema that describes a field: its own, that of its value besides null, or the named one it refers to. */
function describedSchema(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (schema.description !== undefined) return schema;
  const value = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  return value.description !== undefined ? value : (schemas[nameOf(value)] ?? value);
}

/** JSDoc with the description, the limits and an example. */
function comment(schema: JsonSchema, indent: string): string {
  const { description, examples: [example] = [] } = schema;
  if (description === undefined) throw new Error('A schema has no description.');
  const isNamed = schema.enum !== undefined || schema.const !== undefined;
  const hasExample = !isNamed && (typeof example === 'string' || typeof example === 'number');
  const text = [
    description.replace(/(?<![.:!?])$/, '.'),
    limits(schema),
    hasExample && `Example: \`${JSON.stringify(example)}\`.`,
  ];
  return `${indent}/** ${text.filter(Boolean).join(' ')} */\n`;
}

function limits({
  format,
  minLength,
  maxLength,
  minimum,
  maximum,
  maxItems,
  default: defaultValue,
}: JsonSchema): string {
  const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });
  return [
    format === 'date' && 'YYYY-MM-DD.',
    maxLength !== undefined && `${count(minLength ?? 0)} to ${count(maxLength)} characters.`,
    maximum !== undefined && `${count(minimum ?? 0)} to ${count(maximum)}.`,
    maxItems !== undefined && `At most ${maxItems}.`,
    defaultValue !== undefined && `Default: ${defaultValue}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
