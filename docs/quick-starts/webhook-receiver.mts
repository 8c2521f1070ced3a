// Receives webhooks, verifies them, and says when to poll. Node 20 or later, without dependencies. Run behind HTTPS:
// CLAIMS_WEBHOOK_SECRET=whsec_... PORT=8080 npx tsx webhook-receiver.mts (the SDK has verifyWebhook)

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

const SECRET = Buffer.from((process.env.CLAIMS_WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');
const MAX_BODY_BYTES = 65_536;
const TOLERANCE_SECONDS = 300;

function isVerified(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`] ?? ''),
  ) as [string, string, string];
  const isCurrent = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  const digest = createHmac('sha256', SECRET).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  // Two while the secret is rolled.
  return (
    isCurrent &&
    signatures.split(' ').some((signature) => {
      const sent = Buffer.from(signature);
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    })
  );
}

createServer({ requestTimeout: 10_000 }, async (request, response) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) return request.destroy();
      chunks.push(chunk);
    }
  } catch {
    return; // the sender has gone
  }
  const body = Buffer.concat(chunks);
  if (!isVerified(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const { type, data } = JSON.parse(body.toString());
  console.log(type, data.environment);
  // For claims.changed: poll now, in the program that polls every few minutes.
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
