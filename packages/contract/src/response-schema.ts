import { z } from 'zod';

/**
 * A closed list as a reader has to see it: more values may come, so any text passes, and the type
 * keeps its suggestions.
 */
export type Open<Value extends string> = Value | (string & {});

type Meta = Readonly<Record<string, unknown>>;

export function openEnum<const Value extends string>(
  known: readonly Value[],
  meta: Meta,
): z.ZodType<Open<Value>, Open<Value>> {
  return z.string().meta({ ...meta, 'x-extensible-enum': [...known] });
}

/**
 * An object in a response: fields yet to be invented pass through a client untouched. The type lists
 * only the fields of today, so that a misspelled one is caught where the response is written.
 */
export function responseObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/** The type of a value once it comes back in a response: the same, with its closed lists opened. */
export type ResponseValue<Value> = Value extends string
  ? string extends Value
    ? Value
    : Open<Value>
  : Value extends readonly (infer Item)[]
    ? ResponseValue<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: ResponseValue<Value[Key]> }
      : Value;

/**
 * The response's view of a request schema: same fields, same descriptions, none of the refusals. A
 * client must not choke on a claim that was accepted under tomorrow's rules.
 */
export function responseSchema<Value>(schema: z.ZodType<Value>): z.ZodType<ResponseValue<Value>> {
  return opened(schema) as z.ZodType<ResponseValue<Value>>;
}

function opened(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return opened(schema.unwrap()).optional();
  // An array with an upper bound checks its length before its items: the items are what comes out.
  if (schema instanceof z.ZodPipe) return withMeta(opened(schema.out), schema);
  return withMeta(openedWithoutMeta(schema), schema);
}

function openedWithoutMeta(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    return z.looseObject(
      Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, opened(field)])),
    );
  }
  if (schema instanceof z.ZodArray) return z.array(opened(schema.element));
  if (schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  if (schema instanceof z.ZodBoolean) return z.boolean();
  if (schema instanceof z.ZodEnum) return z.string().meta({ 'x-extensible-enum': schema.options });
  throw new TypeError(`No response view of a ${schema._zod.def.type} schema is known.`);
}

function withMeta(view: z.ZodType, original: z.core.$ZodType): z.ZodType {
  // A name in the documentation belongs to one schema only.
  const { id: _, ...meta } = z.globalRegistry.get(original) ?? {};
  return view.meta({ ...view.meta(), ...meta });
}
