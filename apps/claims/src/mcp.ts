import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ClaimsError, type Client, type OperationId } from '@svc/client';
import { createMcpServer } from '@svc/mcp';
import type { Environment } from './environment.ts';
import { failureFrom } from './failure.ts';
import { VERSION } from './version.ts';

/** An agent waits for its tools, so a call gives up before the default deadline of five minutes. */
const DEADLINE_MS = 60_000;

/** Serves the API as tools until standard input ends. */
export async function serveMcp(
  client: Client,
  { allowWrites }: { readonly allowWrites: boolean },
  { stdin, stdout, signal }: Environment,
): Promise<void> {
  const server = createMcpServer({
    version: VERSION,
    allowWrites,
    environment: client.environment,
    async call({ endpoint, params, query, body, idempotencyKey }) {
      // The tools are operations of firms, which the client has too.
      const operation = endpoint.id as OperationId;
      try {
        const response = await client.request(
          { operation, params, query, body, idempotencyKey },
          { signal, deadlineMs: DEADLINE_MS },
        );
        return { isError: false, json: JSON.stringify(response) };
      } catch (error) {
        if (!(error instanceof ClaimsError) && !(error instanceof TypeError)) throw error;
        return { isError: true, json: JSON.stringify(failureFrom(error)) };
      }
    },
  });
  const input = Readable.from(asBuffers(stdin));
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      stdout.write(chunk);
      done();
    },
  });
  await server.connect(new StdioServerTransport(input, output));
  try {
    await finished(input, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await server.close();
  }
}

async function* asBuffers(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk as Uint8Array);
}
