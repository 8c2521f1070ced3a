import type { BodyOf, Endpoint } from './endpoint.ts';
import type { ProblemItem } from './problems.ts';

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

/** A validation error in a body. */
export type BodyError = Extract<ProblemItem, { pointer: string }>;

declare const bodyOfRule: unique symbol;

/** A rule that compares fields. It runs only if each field that it reads is valid or absent. */
export interface CrossFieldRule<in Body = never> {
  readonly reads: readonly string[];
  readonly check: (values: readonly unknown[]) => BodyError | null;
  /** For the compiler only: prevents using the rule of one body on another. */
  readonly [bodyOfRule]?: (body: Body) => void;
}

export function crossFieldRule<Of extends Endpoint, const Pointers extends readonly PointerTo<BodyOf<Of>>[]>(
  _endpoint: Of,
  reads: Pointers,
  check: (...values: ValuesAt<BodyOf<Of>, Pointers>) => BodyError | null,
): CrossFieldRule<BodyOf<Of>> {
  return { reads, check: (values) => check(...(values as ValuesAt<BodyOf<Of>, Pointers>)) };
}
