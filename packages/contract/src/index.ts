export * from '@svc/domain/vocabulary';
export * from './adjuster.ts';
export * from './app.ts';
export { appAccount, appEndpoints } from './app-endpoints.ts';
export { isCalendarDate, readInstant } from './calendar.ts';
export * from './claim.ts';
export type { Credentials, SaveCredentialsBody, SharedCredentials } from './credentials.ts';
export { type CrossFieldRule, crossFieldRule } from './cross-field-rule.ts';
export type * from './desk/board.ts';
export type * from './desk/developers.ts';
export type { ImportClaimsBody } from './desk/imports.ts';
export { deskEndpoints } from './desk/index.ts';
export * from './desk/readiness.ts';
export {
  type FirmChoice,
  type OwnStaff,
  type StaffMember,
  type StaffSession,
  staffAccount,
} from './desk/staff.ts';
export type * from './desk/webhooks.ts';
export {
  type Auth,
  type BodyOf,
  type Endpoint,
  type Example,
  endpoint,
  type Method,
  type RequestOf,
  type ResponseOf,
} from './endpoint.ts';
export { firmEndpoints, sandboxEndpoints } from './endpoints.ts';
export { exampleOf } from './example.ts';
export { riverClaim, smallestClaim, surgeClaim } from './example-values.ts';
export * from './examples.ts';
export { suggestedFloodZone } from './flood-zone-spellings.ts';
export { toPointer } from './json-pointer.ts';
export { EDGE_REQUESTS_PER_MINUTE, LIMITS, RATES, SESSION_REQUESTS_PER_MINUTE } from './limits.ts';
export { mcpEndpoint } from './mcp.ts';
export {
  exampleProblem,
  type JsonSchema,
  type OpenApiAddresses,
  type OpenApiOptions,
  openApiDocument,
} from './openapi.ts';
export { type EndpointId, endpoints } from './operations.ts';
export { type Page, pageParameters } from './page.ts';
export { type ParsedRequest, parseRequest, type RawRequest } from './parse-request.ts';
export * from './problems.ts';
export * from './receipt.ts';
export { INTERFACE_VERSION, RELEASES } from './releases.ts';
export type { OpenEnum, ResponseValue } from './response-schema.ts';
export { routesOf } from './routes.ts';
export * from './sandbox.ts';
export type * from './sign-in.ts';
export { codePointLength, hasUnusableCharacter, invisibleCharacter, isBlank } from './text.ts';
export { webhooks } from './webhooks.ts';
