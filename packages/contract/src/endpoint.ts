import type { z } from 'zod';
import type { ErrorCode } from './problems.ts';
import type { Scope } from './vocabulary.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Whose credentials a call carries: a firm's key, an adjuster's session, or nobody's. */
export type Auth = 'key' | 'session' | 'none';

/** An operation as a value: all that a host, a client and the documentation need to know of it. */
export interface Endpoint {
  readonly id: string;
  readonly method: Method;
  /** Parameters are written in braces: `/v1/claims/{id}`. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  /** What the key must be allowed to do; null when any key may call, or none is needed. */
  readonly scope: Scope | null;
  /** Whether it counts against the limit for writes. */
  readonly write: boolean;
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Named as HTTP's own documents spell them; found whatever the case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** False where the whole body may be left out; it then counts as `{}`. */
  readonly bodyRequired?: boolean;
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    /** Null when the response has no body. */
    readonly schema: z.ZodType | null;
    readonly description: string;
  };
  readonly problems: readonly ErrorCode[];
}

type Parsed<Of, Key extends string> = Of extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Record<never, never>;

/** What a host gets once a request has passed. */
export interface RequestOf<Of extends Endpoint> {
  readonly params: Parsed<Of, 'params'>;
  readonly query: Parsed<Of, 'query'>;
  readonly headers: Parsed<Of, 'headers'>;
  readonly body: BodyOf<Of>;
}

export type BodyOf<Of extends Endpoint> = Of extends { readonly body: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** What the response's body holds; undefined when it has none. */
export type ResponseOf<Of extends Endpoint> = Of['success'] extends {
  readonly schema: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

export const endpoint = <const Of extends Endpoint>(definition: Of): Of => definition;
