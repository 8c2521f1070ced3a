import { INTERFACE_VERSION, mcpEndpoint } from '@svc/contract';
import type { OperationRequest, ToolResult } from '@svc/mcp';
import { asHttpProblem, type ProblemAddresses, problemDocument } from '../problems/http-problem.ts';
import {
  type AgentContext,
  agentRoute,
  type FirmRoute,
  type Route,
  type RouteResponse,
} from '../routes/route.ts';
import { inAscii } from '../serialization/ascii-json.ts';

interface McpDeps {
  readonly operations: readonly Route[];
  readonly addresses: ProblemAddresses;
}

/** Loaded with the first message: the protocol's library takes as long to load as Express, and few firms use it. */
const loadProtocol = async () => ({
  ...(await import('@svc/mcp')),
  ...(await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js')),
});

/** A message counts as one request of the key; a tool that writes also counts as a write. */
export function mcpRoute({ operations, addresses }: McpDeps): Route {
  const routes = new Map(
    operations
      .filter((route): route is FirmRoute => route.caller === 'firm')
      .map((route) => [route.endpoint.id, route]),
  );

  async function perform(request: OperationRequest, context: AgentContext): Promise<RouteResponse> {
    const { endpoint, params, query, body = {}, idempotencyKey } = request;
    const route = routes.get(endpoint.id);
    if (route === undefined) throw new Error(`The operation ${endpoint.id} has no route.`);
    const search = new URLSearchParams(query).toString();
    return context.perform(
      // The tool's own limits of pages.
      { ...route, endpoint },
      { params, search, headers: { 'idempotency-key': idempotencyKey }, body },
    );
  }

  return agentRoute(mcpEndpoint, async ({ query, body }, context): Promise<RouteResponse> => {
    const { createMcpServer, WebStandardStreamableHTTPServerTransport } = await loadProtocol();
    let reads: RouteResponse['reads'];
    let failure: { readonly error: unknown } | undefined;
    const call = async (request: OperationRequest): Promise<ToolResult> => {
      try {
        const response = await perform(request, context);
        reads = response.reads;
        return { isError: false, json: response.json ?? '{}' };
      } catch (error) {
        const problem = asHttpProblem(error);
        if (problem.code === 'internal_error' || problem.code === 'service_unavailable') {
          // Becomes the response of this request; the protocol would show its message to the client.
          failure = { error };
        }
        return {
          isError: true,
          json: JSON.stringify(problemDocument(context.origin.requestId, problem, addresses)),
        };
      }
    };
    const server = createMcpServer({
      version: INTERFACE_VERSION,
      allowWrites: query.allow_writes === 'true',
      environment: context.grant.environment,
      call,
    });
    // Without a session id: each request has a separate server, so any process can respond.
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      enableDnsRebindingProtection: true,
      allowedOrigins: [new URL(addresses.baseUrl).origin],
    });
    try {
      await server.connect(transport);
      const headers = new Headers({
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      });
      for (const name of ['origin', 'mcp-protocol-version']) {
        const value = context.headers[name];
        if (typeof value === 'string') headers.set(name, value);
      }
      const request = new Request(`${addresses.baseUrl}/mcp`, { method: 'POST', headers });
      const response = await transport.handleRequest(request, { parsedBody: body });
      if (failure !== undefined) throw (failure as { error: unknown }).error;
      const json = await response.text();
      return {
        status: response.status,
        ...(json !== '' && { json: inAscii(json) }),
        ...(reads !== undefined && { reads }),
      };
    } finally {
      await server.close();
    }
  });
}
