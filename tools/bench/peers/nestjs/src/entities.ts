import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('firms')
export class Firm {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') name!: string;
}

@Entity('firm_feeds')
export class FirmFeed {
  @PrimaryColumn('uuid') firm_id!: string;
  @Column('timestamptz') last_stamp!: Date;
}

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('text') id!: string;
  @Column('uuid') firm_id!: string;
  @Column('text') environment!: string;
  @Column('text') secret_hash!: string;
  @Column('timestamptz', { nullable: true }) revoked_at!: Date | null;
}

@Entity('sessions')
export class Session {
  @PrimaryColumn('text') token_hash!: string;
  @Column('text') svc_id!: string;
  @Column('timestamptz') expires_at!: Date;
}

@Entity('memberships')
export class Membership {
  @PrimaryColumn('uuid') firm_id!: string;
  @PrimaryColumn('text') svc_id!: string;
  @Column('text') status!: string;
  @Column('boolean') can_accept_claims!: boolean;
  @Column('boolean') accepting_assignments!: boolean;
}

@Entity('carriers')
export class Carrier {
  @PrimaryColumn('uuid') firm_id!: string;
  @PrimaryColumn('text') name_key!: string;
  @Column('text') name!: string;
  @Column('text', { nullable: true }) phone?: string | null;
  @Column('text', { nullable: true }) email?: string | null;
  @Column('json', { nullable: true }) address?: object | null;
}

@Entity('idempotency_records')
export class IdempotencyRecord {
  @PrimaryColumn('uuid') firm_id!: string;
  @PrimaryColumn('text') environment!: string;
  @PrimaryColumn('text') key!: string;
  @Column('text') fingerprint!: string;
  @Column('uuid') claim_id!: string;
  @Column('timestamptz') bound_at!: Date;
}

@Entity('claims')
export class Claim {
  @PrimaryColumn('uuid') firm_id!: string;
  @PrimaryColumn('uuid') id!: string;
  @Column('text') environment!: string;
  @Column('text') external_id!: string;
  @Column('text') claim_number!: string;
  @Column('text') carrier_key!: string;
  @Column('json') carrier!: object;
  @Column('json') document!: Record<string, unknown>;
  @Column('text') status!: string;
  @Column('text') adjuster_svc_id!: string;
  @Column('timestamptz') offered_at!: Date;
  @Column('timestamptz', { nullable: true }) responded_at!: Date | null;
  @Column('text', { nullable: true }) rejection_reason!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
  @Column('timestamptz', { nullable: true }) closed_at!: Date | null;
}
