import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * An HTTP server whose requests and responses are born with the prototypes that Express is about to give them.
 *
 * Express replaces the prototype of every request and response it handles. Changing the prototype of a live object
 * throws away what the engine has learned about its shape, and costs more than the whole routing. Here there is
 * nothing left to change: the constructors below make plain node objects that already have Express' prototypes.
 */
export function createAlignedServer(app: Express): Server {
  function AlignedRequest(this: unknown, ...args: unknown[]) {
    return Reflect.construct(IncomingMessage, args, AlignedRequest);
  }
  AlignedRequest.prototype = app.request;
  function AlignedResponse(this: unknown, ...args: unknown[]) {
    return Reflect.construct(ServerResponse, args, AlignedResponse);
  }
  AlignedResponse.prototype = app.response;

  return createServer(
    {
      IncomingMessage: AlignedRequest as unknown as typeof IncomingMessage,
      ServerResponse: AlignedResponse as unknown as typeof ServerResponse,
      // What a careful host allows a client: ten seconds for the headers, thirty for the whole request.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than the idle time of the usual balancers, so that they are the ones to close.
      keepAliveTimeout: 75_000,
      maxHeaderSize: 16_384,
    },
    app,
  );
}
