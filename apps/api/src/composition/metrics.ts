import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import client from 'prom-client';
import type { Observe } from '../http/app.ts';

interface Metrics {
  readonly observe: Observe;
  /** The metrics in Prometheus' text format. */
  text(): Promise<string>;
  /** Serves them at `/metrics`, on a separate port that can stay private. */
  listen(port: number, host: string): Promise<{ readonly port: number; close(): Promise<void> }>;
}

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Labels are route templates and statuses: few values, and no personal data. */
export function createMetrics(): Metrics {
  const registry = new client.Registry();
  // Event-loop delay, memory, garbage collection, open handles.
  client.collectDefaultMetrics({ register: registry });
  const requests = new client.Counter({
    name: 'http_requests_total',
    help: 'Requests with a response, by route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  const durations = new client.Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the first line of the request to the end of the response.',
    labelNames: ['route'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });

  return {
    observe({ route, status, seconds }) {
      requests.inc({ route, status: String(status) });
      durations.observe({ route }, seconds);
    },
    text: () => registry.metrics(),
    async listen(port, host) {
      const server = createServer((request, response) => {
        if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
          response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('See /metrics\n');
          return;
        }
        registry.metrics().then(
          (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
          () => response.writeHead(500).end(),
        );
      });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      return {
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      };
    },
  };
}
