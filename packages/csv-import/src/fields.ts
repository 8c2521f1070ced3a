import { endpoints } from '@svc/contract';
import { z } from 'zod';
import { LAST_FIRST_NAME } from './field-paths.ts';

/** How the text of a cell becomes a value. */
type FieldKind = 'text' | 'date' | 'number' | 'choice' | 'name';

const LONG_TEXTS = new Set(['instructions', 'loss.description']);
const IDENTIFIER = /(^|[._])(id|number|cat_code)$/;

export interface ClaimField {
  /** In the claim, such as `loss_location.zip`. */
  readonly path: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  /** Of a choice. */
  readonly values: readonly string[];
  /** It may have several lines. */
  readonly isLong: boolean;
  readonly isIdentifier: boolean;
}

const kindOf = (schema: z.ZodType): FieldKind => {
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodEnum) return 'choice';
  return schema.meta()?.format === 'date' ? 'date' : 'text';
};

/** A field of an optional object is required only with its object. */
function fieldsOf(schema: z.ZodType, path: readonly string[], required: boolean): ClaimField[] {
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap() as z.ZodType, path, false);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) =>
      fieldsOf(field as z.ZodType, [...path, name], required),
    );
  // Lists have no columns.
  if (schema instanceof z.ZodPipe) return [];
  const values = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  return [fieldAt(path.join('.'), kindOf(schema), required, values)];
}

const fieldAt = (
  path: string,
  kind: FieldKind,
  required = false,
  values: readonly string[] = [],
): ClaimField => ({
  ...{ path, kind, required, values },
  isLong: LONG_TEXTS.has(path),
  isIdentifier: IDENTIFIER.test(path),
});

/** The fields that a column can have, in the order of the API. */
export const CLAIM_FIELDS: readonly ClaimField[] = [
  ...fieldsOf(endpoints.sendClaim.body, [], true),
  fieldAt(LAST_FIRST_NAME, 'name'),
];

/** Objects that every claim has. */
export const REQUIRED_OBJECTS: readonly string[] = Object.entries(endpoints.sendClaim.body.shape).flatMap(
  ([name, schema]) => (schema instanceof z.ZodObject ? [name] : []),
);

const BY_PATH: ReadonlyMap<string, ClaimField> = new Map(CLAIM_FIELDS.map((field) => [field.path, field]));

export const claimField = (path: string): ClaimField | undefined => BY_PATH.get(path);
