import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import { initTRPC, TRPCError } from '@trpc/server';
import { type CreateHTTPContextOptions, createHTTPServer } from '@trpc/server/adapters/standalone';
import { z } from 'zod';
import { type Prisma, PrismaClient } from './generated/client.js';
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

const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL ?? '', max: 10 }),
});
// Waits for a connection as long as the other peers, not for Prisma's two seconds.
const TRANSACTION = { maxWait: 30_000, timeout: 30_000 };

const createContext = ({ req }: CreateHTTPContextOptions) => ({ headers: req.headers });
const t = initTRPC.context<typeof createContext>().create();
const failed = (code: TRPCError['code']): TRPCError => new TRPCError({ code });

type ApiKey = Prisma.api_keysGetPayload<object>;
const known = new Map<string, { key: ApiKey; until: number }>();

const ofFirm = t.procedure.use(async ({ ctx, next }) => {
  const secret_hash = tokenHashOf(ctx.headers.authorization);
  const cached = known.get(secret_hash);
  if (cached !== undefined && cached.until > Date.now()) return next({ ctx: { key: cached.key } });
  const key = await prisma.api_keys.findFirst({ where: { secret_hash, revoked_at: null } });
  if (key === null) throw failed('UNAUTHORIZED');
  known.set(secret_hash, { key, until: Date.now() + 1000 });
  return next({ ctx: { key } });
});

const ofAdjuster = t.procedure.use(async ({ ctx, next }) => {
  const session = await prisma.sessions.findFirst({
    where: { token_hash: tokenHashOf(ctx.headers.authorization), expires_at: { gt: new Date() } },
  });
  if (session === null) throw failed('UNAUTHORIZED');
  return next({ ctx: { svcId: session.svc_id } });
});

/** Locks the firm's feed and returns its next timestamp. Prisma has no row locks but in SQL. */
async function nextTimestamp(tx: Prisma.TransactionClient, firm_id: string): Promise<Date> {
  const [feed] = await tx.$queryRaw<{ last_stamp: Date }[]>`
    SELECT last_stamp FROM firm_feeds WHERE firm_id = ${firm_id}::uuid FOR UPDATE`;
  if (feed === undefined) throw failed('INTERNAL_SERVER_ERROR');
  const last_stamp = nextStamp(feed.last_stamp);
  await tx.firm_feeds.update({ where: { firm_id }, data: { last_stamp } });
  return last_stamp;
}

const router = t.router({
  get: ofFirm.input(z.object({ id: z.uuid() })).query(async ({ ctx, input }) => {
    const claim = await prisma.claims.findUnique({
      where: { firm_id_id: { firm_id: ctx.key.firm_id, id: input.id } },
    });
    if (claim === null) throw failed('NOT_FOUND');
    return responseOf(claim);
  }),

  page: ofFirm.input(Page).query(async ({ ctx, input }) => {
    const found = await prisma.claims.findMany({
      where: { firm_id: ctx.key.firm_id, updated_at: { gte: new Date(input.updated_since) } },
      orderBy: [{ updated_at: 'asc' }, { id: 'asc' }],
      take: input.limit + 1,
    });
    return pageOf(found, input.limit);
  }),

  send: ofFirm.input(SendClaim).mutation(async ({ ctx, input }) => {
    const { firm_id, environment } = ctx.key;
    const key = String(ctx.headers['idempotency-key']);
    const fingerprint = sha256(JSON.stringify(input));
    const claim = await prisma.$transaction(async (tx) => {
      const record = await tx.idempotency_records.findUnique({
        where: { firm_id_environment_key: { firm_id, environment, key } },
      });
      if (record !== null) {
        if (record.fingerprint !== fingerprint) throw failed('CONFLICT');
        return tx.claims.findUniqueOrThrow({ where: { firm_id_id: { firm_id, id: record.claim_id } } });
      }
      const taken = await tx.claims.findFirst({
        where: {
          firm_id,
          environment,
          OR: [{ external_id: input.external_id }, { claim_number: input.claim_number, closed_at: null }],
        },
        select: { id: true },
      });
      if (taken !== null) throw failed('CONFLICT');
      const member = await tx.memberships.findFirst({
        where: {
          firm_id,
          svc_id: input.adjuster_svc_id,
          status: 'active',
          can_accept_claims: true,
          accepting_assignments: true,
        },
      });
      if (member === null) throw failed('UNPROCESSABLE_CONTENT');
      const name_key = input.carrier.name.toLowerCase();
      await tx.carriers.upsert({
        where: { firm_id_name_key: { firm_id, name_key } },
        create: { firm_id, name_key, ...input.carrier },
        update: input.carrier,
      });
      const now = await nextTimestamp(tx, firm_id);
      const id = randomUUID();
      await tx.idempotency_records.create({
        data: { firm_id, environment, key, fingerprint, claim_id: id, bound_at: now },
      });
      return tx.claims.create({
        data: {
          firm_id,
          id,
          environment,
          external_id: input.external_id,
          claim_number: input.claim_number,
          carrier_key: name_key,
          carrier: input.carrier,
          document: documentOf(input),
          status: 'pending_acceptance',
          adjuster_svc_id: input.adjuster_svc_id,
          offered_at: now,
          created_at: now,
          updated_at: now,
        },
      });
    }, TRANSACTION);
    return responseOf(claim);
  }),

  accept: ofAdjuster.input(z.object({ id: z.uuid() })).mutation(({ ctx, input }) =>
    prisma.$transaction(async (tx) => {
      const { svcId } = ctx;
      const members = await tx.memberships.findMany({ where: { svc_id: svcId } });
      const firmIds = members.map(({ firm_id }) => firm_id);
      await tx.$queryRaw`
        SELECT 1 FROM claims WHERE firm_id = ANY(${firmIds}::uuid[]) AND id = ${input.id}::uuid FOR UPDATE`;
      const claim = await tx.claims.findFirst({
        where: { firm_id: { in: firmIds }, id: input.id, adjuster_svc_id: svcId },
      });
      if (claim === null) throw failed('NOT_FOUND');
      if (claim.status !== 'pending_acceptance') throw failed('CONFLICT');
      const { firm_id, carrier_key } = claim;
      const now = await nextTimestamp(tx, firm_id);
      const accepted = await tx.claims.update({
        where: { firm_id_id: { firm_id, id: input.id } },
        data: { status: 'accepted', responded_at: now, updated_at: now },
      });
      const firm = await tx.firms.findUniqueOrThrow({ where: { id: firm_id } });
      const held = await tx.carriers.findUnique({
        where: { firm_id_name_key: { firm_id, name_key: carrier_key } },
      });
      return acceptedOf(accepted, firm, held);
    }, TRANSACTION),
  ),
});

const server = createHTTPServer({
  router,
  createContext,
  responseMeta: ({ paths, errors }) => (paths?.[0] === 'send' && errors.length === 0 ? { status: 201 } : {}),
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stderr.write(`Listening on http://127.0.0.1:${port}\n`);
});
