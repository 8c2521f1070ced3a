import type { BodyOf, Endpoint } from './endpoint.ts';
import type { ProblemItem } from './problems.ts';

/** A JSON Pointer to a field that a body may have, objects within objects included. */
type PointerTo<Body> = Body extends readonly unknown[]
  ? never
  : Body extends object
    ? {
        [Name in keyof Body & string]: `/${Name}` | `/${Name}${PointerTo<NonNullable<Body[Name]>>}`;
      }[keyof Body & string]
    : never;

/** What the pointer leads to; undefined where the field, or an object above it, was not sent. */
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

/** What a rule finds wrong, and where in the body. */
export type BodyProblem = Extract<ProblemItem, { pointer: string }>;

declare const bodyOfRule: unique symbol;

/**
 * A rule that compares fields. It is asked only when every field it reads is either right by itself or
 * not there, and its finding is listed together with those of the fields.
 */
export interface CrossFieldRule<in Body = never> {
  readonly reads: readonly string[];
  readonly judge: (values: readonly unknown[]) => BodyProblem | null;
  /** For the compiler only: keeps a rule for one body from being used on another. */
  readonly [bodyOfRule]?: (body: Body) => void;
}

export function crossFieldRule<Of extends Endpoint, const Pointers extends readonly PointerTo<BodyOf<Of>>[]>(
  _endpoint: Of,
  reads: Pointers,
  judge: (...values: ValuesAt<BodyOf<Of>, Pointers>) => BodyProblem | null,
): CrossFieldRule<BodyOf<Of>> {
  return { reads, judge: (values) => judge(...(values as ValuesAt<BodyOf<Of>, Pointers>)) };
}
