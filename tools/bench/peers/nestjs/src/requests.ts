import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiKey, Session } from './entities.js';

/** A request as the guards see it and leave it. */
export interface GuardedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  apiKey?: ApiKey;
  session?: Session;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const requestOf = (context: ExecutionContext): GuardedRequest =>
  context.switchToHttp().getRequest<GuardedRequest>();

export const tokenHashOf = (request: GuardedRequest): string =>
  sha256((request.headers.authorization ?? '').replace(/^Bearer /, ''));

export const Key = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context).apiKey);

export const Adjuster = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).session?.svc_id,
);
