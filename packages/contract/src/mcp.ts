import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { expected, fields, oneOf } from './fields.ts';

/** The Model Context Protocol over HTTP, without sessions. Not part of the API under /v1. */
export const mcpEndpoint = endpoint({
  id: 'mcp',
  method: 'POST',
  path: '/mcp',
  audit: null,
  auth: 'key',
  scope: null,
  write: false,
  summary: 'Use the API as tools',
  description:
    'A message of the Model Context Protocol (JSON-RPC). Its tools are the operations of the firm API.',
  query: fields({
    allow_writes: oneOf(['true', 'false'], {
      description: 'Whether to offer tools that change data; false by default.',
      example: 'true',
    }).optional(),
  }),
  body: z.looseObject({}, expected('a JSON-RPC message')),
  success: { status: 200, schema: null, description: 'The response to the message.' },
  problems: ['malformed_request', 'payload_too_large', 'invalid_key', 'rate_limited', 'validation_failed'],
});
