import { z } from 'zod';
import { editDistance } from './edit-distance.ts';
import { toPointer } from './json-pointer.ts';

/** Bounds the time spent on comparing; no field has a longer name. */
const MAX_COMPARED_LENGTH = 40;

/** Words that are a letter or two away from a word of a field and mean something else. */
const NOT_MISSPELLED: ReadonlySet<string> = new Set([
  ...['country', 'contract', 'estimator', 'mortgagor', 'mortgager', 'inspector'],
]);

/** Usual names for the same thing in other systems; suggested only where the object has the field. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  zip: ['zip_code', 'zipcode', 'postal_code', 'postcode'],
  // In Puerto Rico a line above the street; a postal address has one line for both.
  street2: ['urbanization', 'address2', 'address_2', 'address_line2', 'address_line_2', 'line2'],
  street: [
    'street1',
    'street_address',
    'address1',
    'address_1',
    'address_line1',
    'address_line_1',
    'line1',
    'urbanization',
  ],
  phone: ['phone_number', 'telephone', 'telephone_number'],
  email: ['email_address'],
  company_name: ['company', 'organization', 'business_name'],
  first_name: ['given_name'],
  last_name: ['surname', 'family_name'],
  policyholder: ['insured'],
  loss_location: ['property_address', 'risk_address', 'loss_address'],
};

/**
 * The field that an unknown name surely stands for: misspelled, called so elsewhere, or a field of an object below.
 * `path` leads to the object with the unknown name, in a body of this schema. A field of that object is returned by its
 * name, one below by its pointer.
 */
export function suggestedField(
  name: string,
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
): string | null {
  if (name.length > MAX_COMPARED_LENGTH) return null;
  const fields = fieldsAt(schema, path);
  const known = Object.keys(fields);
  const snake = wordsOf(name).join('_');
  return misspelled(name, known) ?? synonymFor(snake, known) ?? nestedField(snake, toPointer(path), fields);
}

/** The first in the order of the synonyms, since an address may have one line or two. */
const synonymFor = (name: string, known: readonly string[]): string | undefined =>
  Object.keys(SYNONYMS).find((field) => known.includes(field) && SYNONYMS[field]?.includes(name));

type Fields = Readonly<Record<string, z.core.$ZodType>>;

/** The fields of the object at this path of the schema. */
function fieldsAt(schema: z.core.$ZodType, [next, ...rest]: readonly PropertyKey[]): Fields {
  if (next === undefined) return fieldsOf(schema);
  const inner = unwrapped(schema);
  const below = inner instanceof z.ZodArray ? inner.element : fieldsOf(inner)[String(next)];
  return below ? fieldsAt(below, rest) : {};
}

function fieldsOf(schema: z.core.$ZodType): Fields {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner.shape : {};
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrapped(schema.out);
  return schema;
}

/** The pointer of the one field below these with this name: after the name of its object, or of several words. */
function nestedField(name: string, parent: string, fields: Fields): string | null {
  const found = Object.entries(fields).flatMap(([outer, field]) =>
    Object.keys(fieldsOf(field))
      .filter((own) => `${outer}_${own}` === name || (own === name && name.includes('_')))
      .map((own) => `${parent}/${outer}/${own}`),
  );
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The known field that this name misspells. Compares word by word: contact_name is not a typo of contact_date. */
function misspelled(name: string, known: readonly string[]): string | null {
  const words = wordsOf(name);
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const typos = typosBetween(words, wordsOf(candidate));
    if (typos < fewest) {
      best = candidate;
      fewest = typos;
    }
  }
  return best;
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .split(/[-_\s]/)
    .filter((word) => word !== '');

/** The number of typos; infinite when a word or a number is a different one. */
function typosBetween(words: readonly string[], meant: readonly string[]): number {
  if (words.join('') === meant.join('')) return 0;
  if (words.length !== meant.length || digitsIn(words) !== digitsIn(meant)) return Number.POSITIVE_INFINITY;
  return words.reduce((sum, word, index) => sum + typosIn(word, meant[index] ?? ''), 0);
}

const digitsIn = (words: readonly string[]): string => words.join().replace(/[^0-9]/g, '');

function typosIn(word: string, meant: string): number {
  if (NOT_MISSPELLED.has(word)) return Number.POSITIVE_INFINITY;
  const allowed = meant.length < 5 ? 0 : meant.length < 8 ? 1 : 2;
  // Most words: the distance is no less than the difference of the lengths, which costs nothing.
  if (Math.abs(word.length - meant.length) > allowed) return Number.POSITIVE_INFINITY;
  const edits = editDistance(word, meant);
  // In a short word a changed letter makes another word; two letters in the wrong order do not.
  const isTransposed = edits === 1 && meant.length === 4 && sorted(word) === sorted(meant);
  return edits <= allowed || isTransposed ? edits : Number.POSITIVE_INFINITY;
}

const sorted = (word: string): string => [...word].sort().join();
