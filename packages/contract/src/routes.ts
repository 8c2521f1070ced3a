import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** The first two names that every response has: they tell it from any other. */
function namesOf({ success: { schema } }: Endpoint): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const fields = Object.entries(schema.shape);
  return fields.flatMap(([name, field]) => (field instanceof z.ZodOptional ? [] : [name])).slice(0, 2);
}

/**
 * Operations by id, as `METHOD path STATUS names` with the path below the root: what a page needs to send one and to
 * recognize its response, without the schemas.
 */
export const routesOf = (
  root: string,
  operations: Readonly<Record<string, Endpoint>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      [
        operation.method,
        operation.path.slice(root.length),
        operation.success.status,
        ...namesOf(operation),
      ].join(' '),
    ]),
  );
