import type { RateLimiter } from '@svc/application';
import { INTERFACE_VERSION, mcpEndpoint } from '@svc/contract';
import { checkScope } from '@svc/domain';
import type { OperationRequest, ToolResult } from '@svc/mcp';
import type { AuditedRead } from '../pipeline/audited-requests.ts';
import type { RejectionPace } from '../pipeline/rejection-pace.ts';
import { checkLimits, parseOrThrow } from '../pipeline/request-pipeline.ts';
import { asHttpProblem, type ProblemAddresses, problemDocument } from '../problems/http-problem.ts';
import { type FirmContext, firmRoute, type Route, type RouteResponse } from '../routes/route.ts';
import { inAscii } from '../serialization/ascii-json.ts';

interface McpDeps {
  readonly firmRoutes: readonly Route[];
  readonly sandboxRoutes: readonly Route[];
  readonly rateLimiter: RateLimiter;
  readonly rejectionPace: RejectionPace;
  readonly addresses: ProblemAddresses;
}

/** Loaded with the first message: the protocol's library takes as long to load as Express, and few firms use it. */
const loadProtocol = async () => ({
  ...(await import('@svc/mcp')),
  ...(await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js')),
});

/** A message counts as one request of the key; a tool that writes also counts as a write. */
export function mcpRoute({
  firmRoutes,
  sandboxRoutes,
  rateLimiter,
  rejectionPace,
  addresses,
}: McpDeps): Route {
  const routes = new Map([...firmRoutes, ...sandboxRoutes].map((route) => [route.endpoint.id, route]));

  async function callTool(
    request: OperationRequest,
    context: FirmContext,
    reads: AuditedRead[],
  ): Promise<ToolResult> {
    const { endpoint, params, query, body, idempotencyKey } = request;
    const route = routes.get(endpoint.id);
    if (route?.caller !== 'firm') throw new Error(`The operation ${endpoint.id} has no route.`);
    const { grant } = context;
    try {
      if (endpoint.write) await checkLimits({ rateLimiter, rejectionPace }, grant, endpoint);
      if (endpoint.scope !== null) checkScope(endpoint.scope, grant.purpose, grant.plan);
      const value = parseOrThrow(route, {
        params,
        search: new URLSearchParams(query).toString(),
        headers: { 'idempotency-key': idempotencyKey },
        body: body ?? {},
      });
      const response = await route.handle(value, { ...context, sentBody: body ?? {} });
      reads.push(...(response.reads ?? []));
      const { json = '{}' } = response;
      return { isError: false, body: JSON.parse(json) };
    } catch (error) {
      const problem = asHttpProblem(error);
      if (problem.code === 'internal_error' || problem.code === 'service_unavailable') throw error;
      return { isError: true, body: { ...problemDocument(context.origin.requestId, problem, addresses) } };
    }
  }

  return firmRoute(mcpEndpoint, async ({ query, body }, context): Promise<RouteResponse> => {
    const { createMcpServer, WebStandardStreamableHTTPServerTransport } = await loadProtocol();
    const reads: AuditedRead[] = [];
    let failure: { readonly error: unknown } | undefined;
    const server = createMcpServer({
      version: INTERFACE_VERSION,
      allowWrites: query.allow_writes === 'true',
      environment: context.grant.environment,
      call: (request) =>
        callTool(request, context, reads).catch((error: unknown) => {
          // Becomes the response of this request; the protocol would show its message to the client.
          failure = { error };
          return { isError: true, body: {} };
        }),
    });
    // Without a session id: each request has a separate server, so any process can respond.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      await server.connect(transport);
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const request = new Request(`${addresses.baseUrl}/mcp`, { method: 'POST', headers });
      const response = await transport.handleRequest(request, { parsedBody: body });
      if (failure !== undefined) throw (failure as { error: unknown }).error;
      const json = await response.text();
      return { status: response.status, ...(json !== '' && { json: inAscii(json) }), reads };
    } finally {
      await server.close();
    }
  });
}
