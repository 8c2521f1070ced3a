import type { AuditAction, FieldErrorCode, Scope, StaffPermission } from '@svc/domain/vocabulary';
import type { z } from 'zod';
import type { CrossFieldRule } from './cross-field-rule.ts';
import type { ErrorCode } from './problems.ts';
import type { RELEASES } from './releases.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The credentials an operation requires: an API key, the session token of an adjuster or of a staff member, or none. */
export type Auth = 'key' | 'session' | 'staff' | 'none';

/** The definition of an operation, shared by the server, clients and the documentation. */
export interface Endpoint {
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces: `/v1/claims/{id}`. */
  readonly path: `/${string}`;
  /**
   * What its failures are recorded as; null if it shows and changes nothing of a firm, nor the access to an account. Changes are
   * recorded in the transaction of the action, reads where the route says so.
   */
  readonly audit: AuditAction | null;
  readonly auth: Auth;
  /** The release of the interface that added it; absent: the first one, or not for firm systems. */
  readonly since?: (typeof RELEASES)[number]['version'];
  /** The scope the key must have; null if any key is allowed or none is required. */
  readonly scope: Scope | null;
  /** What the role of a staff member must include; null if any role may use it. */
  readonly permission?: StaffPermission | null;
  /** Part of the sandbox: test keys only, and never affected by simulated faults. */
  readonly sandbox?: true;
  /** Allowed for a session that must add a passkey before anything else. */
  readonly beforePasskey?: true;
  /** Whether it counts toward the rate limit for writes. */
  readonly write: boolean;
  /** Of a write: the same request again has another effect. Else it has none, by its Idempotency-Key or by nature. */
  readonly repeatable?: false;
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Header names in canonical case; matched case-insensitively. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Checked with its fields, so that one response lists all errors. */
  readonly rules?: readonly CrossFieldRule[];
  /** Where in the body its errors are that only the use case finds. */
  readonly pointers?: Readonly<Partial<Record<FieldErrorCode, string>>>;
  /** False if the body may be omitted; it is then treated as `{}`. */
  readonly bodyRequired?: boolean;
  /** Instead of `LIMITS.bodyValues`. */
  readonly bodyValues?: number;
  readonly success: {
    readonly status: 200 | 201 | 202 | 204;
    /** Null when the response has no body. */
    readonly schema: z.ZodType | null;
    /** Also as text/csv, for clients that accept it. */
    readonly csv?: true;
    readonly description: string;
  };
  /** Another response that is no error, where the operation needs one more request. */
  readonly next?: {
    readonly status: 200;
    readonly schema: z.ZodType;
    readonly description: string;
    readonly example: unknown;
  };
  readonly problems: readonly ErrorCode[];
  /** Of its errors, where they have members of this operation alone; default: `problemSchema`. */
  readonly problemSchema?: z.ZodType;
  /** What `exampleRequest` does not find in the schemas. */
  readonly example?: Example;
}

/** A request and its response. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Absent if the response has no body. */
  readonly response?: unknown;
}

type Parsed<Of, Key extends string> = Of extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Record<never, never>;

/** The values of a valid request. */
export interface RequestOf<Of extends Endpoint> {
  readonly params: Parsed<Of, 'params'>;
  readonly query: Parsed<Of, 'query'>;
  readonly headers: Parsed<Of, 'headers'>;
  readonly body: BodyOf<Of>;
}

export type BodyOf<Of extends Operation> = Of extends { readonly body: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** The body of the response; undefined if there is none. */
export type ResponseOf<Of extends Endpoint> = Of['success'] extends {
  readonly schema: infer Schema extends z.ZodType;
}
  ? z.output<Schema> | NextOf<Of>
  : undefined;

type NextOf<Of extends Endpoint> = Of extends {
  readonly next: { readonly schema: infer Schema extends z.ZodType };
}
  ? z.output<Schema>
  : never;

type Operation = Omit<Endpoint, 'id'>;

export const endpoint = <const Of extends Operation>(
  definition: Of & { readonly rules?: readonly CrossFieldRule<BodyOf<Of>>[] },
): Of => definition;

/** Operations, each with its name as id. */
export const named = <const All extends Readonly<Record<string, Operation>>>(
  operations: All,
): { readonly [Id in keyof All]: Omit<All[Id], 'id'> & { readonly id: Id } } =>
  Object.fromEntries(Object.entries(operations).map(([id, one]): readonly unknown[] => [id, { ...one, id }]));
