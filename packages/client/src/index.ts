export type { ApiPromise, ApiResponse } from './api-promise.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type IdempotentCallOptions,
} from './client.ts';
export {
  ClaimsApiError,
  ClaimsConnectionError,
  ClaimsError,
  ClaimsTimeoutError,
  isCode,
  type ProblemItem,
} from './errors.ts';
export type { List, ListClaims } from './list.ts';
export type { LogLevel } from './log.ts';
export type { PollOptions } from './poll.ts';
export {
  type ReceiptContent,
  ReceiptError,
  type ReceiptKeySet,
  type ReceiptStep,
  type VerifyReceiptOptions,
  verifyReceipt,
} from './receipt.ts';
export { contentKey, hasContentOf } from './same-content.ts';
export type { Sandbox } from './sandbox.ts';
export type { NewClaims, SendManyOptions, SendOutcome } from './send-many.ts';
export type {
  CallOptions,
  Hooks,
  OperationRequest,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './transport.ts';
export { VERSION } from './version.ts';
export {
  type SignedWebhook,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhooks.ts';
export type * from './wire.ts';
