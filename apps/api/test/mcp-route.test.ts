import { expect, test } from '@jest/globals';
import { Unavailable } from '@svc/application';
import { endpoints } from '@svc/contract';
import { mcpRoute } from '../src/http/mcp/mcp-route.ts';
import { type AgentContext, firmRoute } from '../src/http/routes/route.ts';

test.each([new Error('password of the database'), new Unavailable('The database does not respond.')])(
  'a tool that fails for another reason than its input fails the request: %s',
  async (error) => {
    const route = mcpRoute({
      operations: [firmRoute(endpoints.getKeyInfo, () => Promise.reject(error))],
      addresses: { baseUrl: 'http://127.0.0.1', docsUrl: 'http://127.0.0.1/docs' },
    });
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'getKeyInfo', arguments: {} },
    };
    const context = {
      grant: { environment: 'live' },
      headers: {},
      origin: { requestId: 'r' },
      perform: () => Promise.reject(error),
    } as unknown as AgentContext;
    const request = { params: {}, query: {}, headers: {}, body: message };
    if (route.caller !== 'agent') throw new Error('The route is for agents.');
    await expect(
      route.handle(request as unknown as Parameters<typeof route.handle>[0], context),
    ).rejects.toBe(error);
  },
);
