import type { z } from 'zod';

/** A JSON Pointer to a field of a body, at any depth. */
type PointerTo<Body> = Body extends readonly unknown[]
  ? never
  : Body extends object
    ? {
        [Name in keyof Body & string]: `/${Name}` | `/${Name}${PointerTo<NonNullable<Body[Name]>>}`;
      }[keyof Body & string]
    : never;

/** The value at a pointer; undefined if the field, or an object above it, was not sent. */
type ValueAt<Body, Pointer extends string> = Pointer extends `/${infer Name}/${infer Rest}`
  ? Name extends keyof Body
    ? ValueAt<NonNullable<Body[Name]>, `/${Rest}`> | Extract<Body[Name], undefined>
    : never
  : Pointer extends `/${infer Name}`
    ? Name extends keyof Body
      ? Body[Name]
      : never
    : never;

type ValuesAt<Body, Pointers extends readonly string[]> = {
  [Index in keyof Pointers]: ValueAt<Body, Pointers[Index]>;
};

declare const bodyOfRule: unique symbol;

/** A rule that compares fields. It runs only if each field that it reads is valid or absent. */
export interface CrossFieldRule<in Body = never> {
  /** The error is at the last one. */
  readonly reads: readonly [...string[], string];
  /** What is wrong; null: nothing. */
  readonly check: (values: readonly unknown[]) => string | null;
  /** For the compiler only: prevents using the rule of one body on another. */
  readonly [bodyOfRule]?: (body: Body) => void;
}

export function crossFieldRule<
  Schema extends z.ZodType,
  const Pointers extends readonly [...PointerTo<z.output<Schema>>[], PointerTo<z.output<Schema>>],
>(
  _body: Schema,
  reads: Pointers,
  check: (...values: ValuesAt<z.output<Schema>, Pointers>) => string | null,
): CrossFieldRule<z.output<Schema>> {
  return { reads, check: (values) => check(...(values as ValuesAt<z.output<Schema>, Pointers>)) };
}
