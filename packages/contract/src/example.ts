import { z } from 'zod';
import type { Endpoint, Example } from './endpoint.ts';

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The example of a schema, or else one with those of its fields. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const { example } = z.globalRegistry.get(schema) ?? {};
  if (example !== undefined && !isEmpty(example)) return example;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return exampleOf(schema.unwrap());
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [name, exampleOf(field as z.ZodType)]),
    );
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element)].filter((item) => item !== undefined);
  return example;
}

/** Of the parameters or headers that every request has. */
const requiredOf = (schema: z.ZodObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(schema.shape)
      .filter(([, field]) => !(field instanceof z.ZodOptional || field instanceof z.ZodDefault))
      .map(([name, field]) => [name, String(exampleOf(field as z.ZodType))]),
  );

/** What the operation does not set itself has the examples of its schemas. */
export function exampleRequest({ params, query, headers, body, success, example }: Endpoint): Example {
  const search = query && new URLSearchParams(requiredOf(query)).toString();
  const required = Object.entries(headers ? requiredOf(headers) : {});
  return {
    ...(params && { params: requiredOf(params) }),
    ...(search && { search }),
    ...(required.length > 0 && {
      headers: Object.fromEntries(required.map(([name, value]) => [name.toLowerCase(), value])),
    }),
    ...(body && { body: exampleOf(body) }),
    ...(success.schema && { response: exampleOf(success.schema) }),
    ...example,
  };
}
