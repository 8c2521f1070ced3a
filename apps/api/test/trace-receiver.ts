import { createServer } from 'node:http';
import { listening } from '../../../tools/services/local-server.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly serviceName: unknown;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector that keeps the spans it receives as OTLP in JSON. */
export async function startTraceReceiver() {
  const spans: ReceivedSpan[] = [];
  /** Everything received, as text. */
  let text = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    text += body;
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans)
      for (const { spans: received } of scopeSpans)
        for (const span of received) {
          const serviceName = valuesOf(resource.attributes)['service.name'];
          spans.push({ ...span, attributes: valuesOf(span.attributes), serviceName });
        }
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  return { ...(await listening(server)), spans, text: () => text };
}
