import { randomUUID } from 'node:crypto';
import {
  ConflictException,
  Injectable,
  NotFoundException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, IsNull, MoreThanOrEqual, Repository } from 'typeorm';
import type { PageDto, SendClaimDto } from './dto.js';
import { type ApiKey, Carrier, Claim, Firm, FirmFeed, IdempotencyRecord, Membership } from './entities.js';
import { sha256 } from './requests.js';

@Injectable()
export class ClaimsService {
  constructor(
    @InjectRepository(Claim) private readonly claims: Repository<Claim>,
    private readonly database: DataSource,
  ) {}

  async get({ firm_id }: ApiKey, id: string) {
    const claim = await this.claims.findOne({ where: { firm_id, id } });
    if (claim === null) throw new NotFoundException();
    return responseOf(claim);
  }

  async page({ firm_id }: ApiKey, { limit, updated_since }: PageDto) {
    const found = await this.claims.find({
      where: { firm_id, updated_at: MoreThanOrEqual(new Date(updated_since)) },
      order: { updated_at: 'ASC', id: 'ASC' },
      take: limit + 1,
    });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      data: page.map(responseOf),
      next_cursor: last
        ? Buffer.from(JSON.stringify([last.updated_at, last.id])).toString('base64url')
        : null,
    };
  }

  async send({ firm_id, environment }: ApiKey, idempotencyKey: string, body: SendClaimDto) {
    const { adjuster_svc_id, ...content } = body;
    const fingerprint = sha256(JSON.stringify(body));
    const claim = await this.database.transaction(async (manager) => {
      const record = await manager.findOne(IdempotencyRecord, {
        where: { firm_id, environment, key: idempotencyKey },
      });
      if (record !== null) {
        if (record.fingerprint !== fingerprint) throw new ConflictException();
        return manager.findOneOrFail(Claim, { where: { firm_id, id: record.claim_id } });
      }
      const taken = await manager.findOne(Claim, {
        where: [
          { firm_id, environment, external_id: body.external_id },
          { firm_id, environment, claim_number: body.claim_number, closed_at: IsNull() },
        ],
      });
      if (taken !== null) throw new ConflictException();
      const member = await manager.findOne(Membership, {
        where: {
          firm_id,
          svc_id: adjuster_svc_id,
          status: 'active',
          can_accept_claims: true,
          accepting_assignments: true,
        },
      });
      if (member === null) throw new UnprocessableEntityException();
      const carrier_key = body.carrier.name.toLowerCase();
      await manager.upsert(Carrier, { firm_id, name_key: carrier_key, ...body.carrier }, [
        'firm_id',
        'name_key',
      ]);
      const now = await nextTimestamp(manager, firm_id);
      const id = randomUUID();
      await manager.insert(IdempotencyRecord, {
        firm_id,
        environment,
        key: idempotencyKey,
        fingerprint,
        claim_id: id,
        bound_at: now,
      });
      return manager.save(
        manager.create(Claim, {
          firm_id,
          id,
          environment,
          external_id: body.external_id,
          claim_number: body.claim_number,
          carrier_key,
          carrier: body.carrier,
          document: { ...content, loss: { ...content.loss, peril: 'flood' } },
          status: 'pending_acceptance',
          adjuster_svc_id,
          offered_at: now,
          responded_at: null,
          rejection_reason: null,
          created_at: now,
          updated_at: now,
          closed_at: null,
        }),
      );
    });
    return responseOf(claim);
  }

  accept(svc_id: string, id: string) {
    return this.database.transaction(async (manager) => {
      const memberships = await manager.find(Membership, { where: { svc_id } });
      const claim = await manager.findOne(Claim, {
        where: { firm_id: In(memberships.map(({ firm_id }) => firm_id)), id, adjuster_svc_id: svc_id },
        lock: { mode: 'pessimistic_write' },
      });
      if (claim === null) throw new NotFoundException();
      if (claim.status !== 'pending_acceptance') throw new ConflictException();
      const { firm_id } = claim;
      const now = await nextTimestamp(manager, firm_id);
      claim.status = 'accepted';
      claim.responded_at = now;
      claim.updated_at = now;
      await manager.save(claim);
      const firm = await manager.findOneOrFail(Firm, { where: { id: firm_id } });
      const held = await manager.findOne(Carrier, { where: { firm_id, name_key: claim.carrier_key } });
      return {
        ...responseOf(claim),
        firm: { id: firm.id, name: firm.name },
        offered_at: claim.offered_at,
        work: {},
        closed_at: claim.closed_at,
        carrier: { ...detailsOf(held), ...claim.carrier },
        coverages: { special_limits_cap: 2500, ...(claim.document.coverages as object | undefined) },
      };
    });
  }
}

function responseOf(claim: Claim) {
  return {
    id: claim.id,
    test: claim.environment === 'test',
    created_at: claim.created_at,
    updated_at: claim.updated_at,
    assignment: {
      status: claim.status,
      adjuster_svc_id: claim.adjuster_svc_id,
      responded_at: claim.responded_at,
      rejection_reason: claim.rejection_reason,
    },
    ...claim.document,
  };
}

/** Locks the firm's feed and returns its next timestamp. */
async function nextTimestamp(manager: EntityManager, firm_id: string): Promise<Date> {
  const feed = await manager.findOneOrFail(FirmFeed, {
    where: { firm_id },
    lock: { mode: 'pessimistic_write' },
  });
  feed.last_stamp = new Date(Math.max(Date.now(), feed.last_stamp.getTime() + 1));
  await manager.save(feed);
  return feed.last_stamp;
}

function detailsOf(carrier: Carrier | null): object {
  const { phone, email, address } = carrier ?? {};
  return Object.fromEntries(
    Object.entries({ phone, email, address }).filter(([, value]) => value !== null && value !== undefined),
  );
}
