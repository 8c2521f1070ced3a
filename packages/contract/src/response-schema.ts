import { z } from 'zod';

/** An enum in a response: values may be added, so any string is valid, and the type still suggests the known ones. */
export type OpenEnum<Value extends string> = Value | (string & {});

type Meta = Readonly<Record<string, unknown>>;

export function openEnum<const Value extends string>(
  known: readonly Value[],
  meta: Meta,
): z.ZodType<OpenEnum<Value>, OpenEnum<Value>> {
  return z.string().meta({ ...meta, 'x-extensible-enum': [...known] });
}

/**
 * An object in a response: clients keep fields that were added later. The type lists only the known fields, so the
 * compiler catches a misspelled one where the response is created.
 */
export function responseObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/** The type of a request value in a response: the same with open enums. */
export type ResponseValue<Value> = Value extends string
  ? string extends Value
    ? Value
    : OpenEnum<Value>
  : Value extends readonly (infer Item)[]
    ? ResponseValue<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: ResponseValue<Value[Key]> }
      : Value;

/**
 * The response schema for a request schema: same fields and descriptions, no checks. A client must be able to read a
 * claim that was accepted under later rules.
 */
export function responseSchema<Value>(schema: z.ZodType<Value>): z.ZodType<ResponseValue<Value>> {
  return withoutChecks(schema) as z.ZodType<ResponseValue<Value>>;
}

type ResponseShape<Shape extends Record<string, z.ZodType>> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodOptional<infer Inner extends z.ZodType>
    ? z.ZodOptional<z.ZodType<ResponseValue<z.output<Inner>>>>
    : z.ZodType<ResponseValue<z.output<Shape[Name]>>>;
};

/** The same for each field of an object. */
export const responseFields = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, withoutChecks(field)]),
  ) as ResponseShape<Shape>;

/** The named schemas that `redescribed` schemas stand for. */
const namedSchemas = new WeakMap<z.core.$ZodType, z.ZodType>();

/** A named schema with a description for one field. The response schema of that field keeps the name. */
export function redescribed<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  const described = schema.meta({ description });
  namedSchemas.set(described, schema);
  return described;
}

const nameOf = (schema: z.core.$ZodType): string | undefined => z.globalRegistry.get(schema)?.id;

/** Named schemas are converted once, because a name must be unique in the OpenAPI document. */
const namedResponses = new WeakMap<z.core.$ZodType, z.ZodType>();

function withoutChecks(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return withoutChecks(schema.unwrap()).optional();
  const named = namedSchemas.get(schema);
  if (named !== undefined) return withMeta(withoutChecks(named), schema);
  const cached = namedResponses.get(schema);
  if (cached !== undefined) return cached;
  const converted = convert(schema);
  if (nameOf(schema) !== undefined) namedResponses.set(schema, converted);
  return converted;
}

function convert(schema: z.core.$ZodType): z.ZodType {
  // `arrayOf` is a pipe that checks the length first; its output is the array.
  if (schema instanceof z.ZodPipe) return withMeta(withoutChecks(schema.out), schema);
  return withMeta(baseTypeOf(schema), schema);
}

function baseTypeOf(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    return z.looseObject(responseFields(schema.shape as Record<string, z.ZodType>));
  }
  if (schema instanceof z.ZodArray) return z.array(withoutChecks(schema.element));
  if (schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  if (schema instanceof z.ZodBoolean) return z.boolean();
  if (schema instanceof z.ZodEnum) return z.string().meta({ 'x-extensible-enum': schema.options });
  throw new TypeError(`No response schema is defined for ${schema.constructor.name}.`);
}

function withMeta(view: z.ZodType, original: z.core.$ZodType): z.ZodType {
  const { id, ...all } = z.globalRegistry.get(original) ?? {};
  const meta = Object.fromEntries(Object.entries(all).filter(([keyword]) => !CHECKS.has(keyword)));
  const name = id?.endsWith(REQUEST_SUFFIX) ? { id: id.slice(0, -REQUEST_SUFFIX.length) } : {};
  const { id: _, ...viewMeta } = view.meta() ?? {};
  return view.meta({ ...viewMeta, ...meta, ...name });
}

/** Keywords of the documented checks. */
const CHECKS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'maxItems',
  'dependentRequired',
]);

/** The request schema of `Building` is `BuildingInput`: it is closed, while the response may get new fields and values. */
const REQUEST_SUFFIX = 'Input';
