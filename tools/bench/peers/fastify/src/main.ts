import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { and, asc, eq, gt, gte, inArray, isNull, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import Fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';
import { z } from 'zod';
import {
  acceptedOf,
  documentOf,
  nextStamp,
  Page,
  pageOf,
  responseOf,
  SendClaim,
  sha256,
  tokenHashOf,
} from './shared/claim.js';
import * as tables from './tables.js';

const { apiKeys, carriers, claims, firmFeeds, firms, idempotencyRecords, memberships, sessions } = tables;
const db = drizzle(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }), { schema: tables });
type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];

const failed = (statusCode: number): Error => Object.assign(new Error(), { statusCode });
const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
const ID = schemaOf(z.object({ id: z.uuid() }));

type ApiKey = typeof apiKeys.$inferSelect;
const known = new Map<string, { key: ApiKey; until: number }>();

async function keyOf({ headers }: FastifyRequest): Promise<ApiKey> {
  const hash = tokenHashOf(headers.authorization);
  const cached = known.get(hash);
  if (cached !== undefined && cached.until > Date.now()) return cached.key;
  const key = await db.query.apiKeys.findFirst({
    where: and(eq(apiKeys.secret_hash, hash), isNull(apiKeys.revoked_at)),
  });
  if (key === undefined) throw failed(401);
  known.set(hash, { key, until: Date.now() + 1000 });
  return key;
}

/** Locks the firm's feed and returns its next timestamp. */
async function nextTimestamp(tx: Transaction, firmId: string): Promise<Date> {
  const [feed] = await tx.select().from(firmFeeds).where(eq(firmFeeds.firm_id, firmId)).for('update');
  if (feed === undefined) throw failed(500);
  const last_stamp = nextStamp(feed.last_stamp);
  await tx.update(firmFeeds).set({ last_stamp }).where(eq(firmFeeds.firm_id, firmId));
  return last_stamp;
}

const app = Fastify({ ajv: { customOptions: { removeAdditional: false, multipleOfPrecision: 6 } } });

app.get<{ Params: { id: string } }>('/v1/claims/:id', { schema: { params: ID } }, async (request) => {
  const { firm_id } = await keyOf(request);
  const claim = await db.query.claims.findFirst({
    where: and(eq(claims.firm_id, firm_id), eq(claims.id, request.params.id)),
  });
  if (claim === undefined) throw failed(404);
  return responseOf(claim);
});

app.get<{ Querystring: Page }>('/v1/claims', { schema: { querystring: schemaOf(Page) } }, async (request) => {
  const { firm_id } = await keyOf(request);
  const { limit, updated_since } = request.query;
  const found = await db.query.claims.findMany({
    where: and(eq(claims.firm_id, firm_id), gte(claims.updated_at, new Date(updated_since))),
    orderBy: [asc(claims.updated_at), asc(claims.id)],
    limit: limit + 1,
  });
  return pageOf(found, limit);
});

app.post<{ Body: SendClaim }>(
  '/v1/claims',
  { schema: { body: schemaOf(SendClaim) } },
  async (request, reply) => {
    const { firm_id, environment } = await keyOf(request);
    const { body } = request;
    const key = String(request.headers['idempotency-key']);
    const fingerprint = sha256(JSON.stringify(body));
    const claim = await db.transaction(async (tx) => {
      const record = await tx.query.idempotencyRecords.findFirst({
        where: and(
          eq(idempotencyRecords.firm_id, firm_id),
          eq(idempotencyRecords.environment, environment),
          eq(idempotencyRecords.key, key),
        ),
      });
      if (record !== undefined) {
        if (record.fingerprint !== fingerprint) throw failed(409);
        return tx.query.claims.findFirst({
          where: and(eq(claims.firm_id, firm_id), eq(claims.id, record.claim_id)),
        });
      }
      const taken = await tx.query.claims.findFirst({
        columns: { id: true },
        where: and(
          eq(claims.firm_id, firm_id),
          eq(claims.environment, environment),
          or(
            eq(claims.external_id, body.external_id),
            and(eq(claims.claim_number, body.claim_number), isNull(claims.closed_at)),
          ),
        ),
      });
      if (taken !== undefined) throw failed(409);
      const member = await tx.query.memberships.findFirst({
        where: and(
          eq(memberships.firm_id, firm_id),
          eq(memberships.svc_id, body.adjuster_svc_id),
          eq(memberships.status, 'active'),
          memberships.can_accept_claims,
          memberships.accepting_assignments,
        ),
      });
      if (member === undefined) throw failed(422);
      const carrier_key = body.carrier.name.toLowerCase();
      await tx
        .insert(carriers)
        .values({ firm_id, name_key: carrier_key, ...body.carrier })
        .onConflictDoUpdate({ target: [carriers.firm_id, carriers.name_key], set: body.carrier });
      const now = await nextTimestamp(tx, firm_id);
      const id = randomUUID();
      await tx
        .insert(idempotencyRecords)
        .values({ firm_id, environment, key, fingerprint, claim_id: id, bound_at: now });
      const [inserted] = await tx
        .insert(claims)
        .values({
          firm_id,
          id,
          environment,
          external_id: body.external_id,
          claim_number: body.claim_number,
          carrier_key,
          carrier: body.carrier,
          document: documentOf(body),
          status: 'pending_acceptance',
          adjuster_svc_id: body.adjuster_svc_id,
          offered_at: now,
          created_at: now,
          updated_at: now,
        })
        .returning();
      return inserted;
    });
    if (claim === undefined) throw failed(500);
    reply.code(201);
    return responseOf(claim);
  },
);

app.post<{ Params: { id: string } }>(
  '/app/v1/claims/:id/acceptance',
  { schema: { params: ID } },
  async (request) => {
    const session = await db.query.sessions.findFirst({
      where: and(
        eq(sessions.token_hash, tokenHashOf(request.headers.authorization)),
        gt(sessions.expires_at, sql`now()`),
      ),
    });
    if (session === undefined) throw failed(401);
    const { svc_id } = session;
    return db.transaction(async (tx) => {
      const member = await tx.query.memberships.findMany({ where: eq(memberships.svc_id, svc_id) });
      const [claim] = await tx
        .select()
        .from(claims)
        .where(
          and(
            inArray(
              claims.firm_id,
              member.map(({ firm_id }) => firm_id),
            ),
            eq(claims.id, request.params.id),
            eq(claims.adjuster_svc_id, svc_id),
          ),
        )
        .for('update');
      if (claim === undefined) throw failed(404);
      if (claim.status !== 'pending_acceptance') throw failed(409);
      const { firm_id, carrier_key } = claim;
      const now = await nextTimestamp(tx, firm_id);
      const change = { status: 'accepted', responded_at: now, updated_at: now };
      await tx
        .update(claims)
        .set(change)
        .where(and(eq(claims.firm_id, firm_id), eq(claims.id, claim.id)));
      const firm = await tx.query.firms.findFirst({ where: eq(firms.id, firm_id) });
      const held = await tx.query.carriers.findFirst({
        where: and(eq(carriers.firm_id, firm_id), eq(carriers.name_key, carrier_key)),
      });
      if (firm === undefined) throw failed(500);
      return acceptedOf({ ...claim, ...change }, firm, held);
    });
  },
);

await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address() as AddressInfo;
process.stderr.write(`Listening on http://127.0.0.1:${port}\n`);
