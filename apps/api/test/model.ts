// A second, simple implementation of the specified rules. It shares no code with the product.

export const DAY = 24 * 60 * 60 * 1000;

export type Environment = 'live' | 'test';

/** Firms, adjusters and claims are identified by index; claims in the order in which they were sent. */
export type Step =
  | {
      readonly do: 'send';
      firm: number;
      env: Environment;
      adjuster: number;
      external: number;
      claim: number;
      key: number;
    }
  | { readonly do: 'offer'; firm: number; env: Environment; which: number; adjuster: number; key: number }
  | { readonly do: 'get'; firm: number; env: Environment; which: number }
  | { readonly do: 'list'; firm: number; env: Environment; status: number; limit: number; since: number }
  | { readonly do: 'invite' | 'invite many' | 'withdraw'; firm: number; env: Environment; adjuster: number }
  | { readonly do: 'adjusters'; firm: number; env: Environment; limit: number }
  | { readonly do: 'accept' | 'reject' | 'close' | 'work' | 'read'; adjuster: number; which: number }
  | { readonly do: 'leave' | 'join' | 'decline' | 'pause' | 'resume'; adjuster: number; firm: number }
  | { readonly do: 'offers'; adjuster: number; status: number; limit: number }
  | { readonly do: 'invitations' | 'profile'; adjuster: number }
  | { readonly do: 'operator closes'; which: number }
  | { readonly do: 'take back' | 'firm closes'; firm: number; which: number }
  | { readonly do: 'wait'; ms: number };

/** A real adjuster, or the test account of a firm. */
interface ModelAdjuster {
  readonly testOf: number | null;
}

interface ModelClaim {
  readonly firm: number;
  readonly env: Environment;
  readonly external: number;
  readonly number: number;
  status: 'pending_acceptance' | 'accepted' | 'rejected' | 'unassigned';
  adjuster: number;
  closed: boolean;
}

interface ModelMember {
  status: 'pending' | 'active' | 'declined' | 'withdrawn' | 'left';
  expires: number;
  accepting: boolean;
}

interface Prediction {
  readonly status: number;
  readonly code?: string;
  /** The claim in the response. */
  readonly claim?: number;
  /** The expected assignment of that claim. */
  readonly assignment?: { readonly status: string; readonly adjuster: number };
  readonly replayed?: boolean;
  /** The claims of an unfiltered list, in the order of their last change. */
  readonly listed?: readonly number[];
}

export class Model {
  readonly claims: ModelClaim[] = [];
  /** Claims in the order of their last change visible to firms; the newest comes last. */
  readonly #changes: number[] = [];
  readonly #members = new Map<string, ModelMember>();
  readonly #keys = new Map<string, { request: string; claim: number; at: number }>();
  #now: number;

  constructor(
    readonly adjusters: readonly ModelAdjuster[],
    now: number,
  ) {
    this.#now = now;
  }

  join(firm: number, adjuster: number): void {
    this.#members.set(`${firm}/${adjuster}`, { status: 'active', expires: 0, accepting: true });
  }

  predict(step: Step): Prediction {
    switch (step.do) {
      case 'wait':
        this.#now += step.ms;
        return { status: 0 };
      case 'send':
        return this.#once(
          step.firm,
          step.env,
          step.key,
          `send ${step.adjuster} ${step.external} ${step.claim}`,
          201,
          () => {
            const findDuplicate = (match: (claim: ModelClaim) => boolean): number =>
              this.claims.findIndex(
                (claim) => claim.firm === step.firm && claim.env === step.env && match(claim),
              );
            const duplicate = [
              findDuplicate(({ external }) => external === step.external),
              findDuplicate(({ number, closed }) => number === step.claim && !closed),
            ].find((index) => index >= 0);
            if (duplicate !== undefined) return { status: 409, code: 'duplicate_claim' };
            const failure = this.#addressee(step.firm, step.env, step.adjuster);
            if (failure !== null) return failure;
            const { firm, env, external, adjuster } = step;
            this.claims.push({
              firm,
              env,
              external,
              number: step.claim,
              status: 'pending_acceptance',
              adjuster,
              closed: false,
            });
            return this.#changed(this.claims.length - 1, 201);
          },
        );
      case 'offer':
        return this.#once(step.firm, step.env, step.key, `offer ${step.which} ${step.adjuster}`, 200, () => {
          const claim = this.#visible(step.firm, step.env, step.which);
          if (claim === null) return { status: 404, code: 'not_found' };
          if (claim.env !== step.env) return { status: 422, code: 'environment_mismatch' };
          if (claim.status === 'accepted') return { status: 409, code: 'claim_already_accepted' };
          if (claim.closed) return { status: 409, code: 'claim_closed' };
          const failure = this.#addressee(step.firm, step.env, step.adjuster);
          if (failure !== null) return failure;
          claim.status = 'pending_acceptance';
          claim.adjuster = step.adjuster;
          return this.#changed(step.which, 200);
        });
      case 'get':
        return this.#visible(step.firm, step.env, step.which) === null
          ? { status: 404, code: 'not_found' }
          : this.#shown(step.which, 200);
      case 'list':
        return {
          status: 200,
          ...(step.since === 0 && step.status === 0 && { listed: this.#feed(step.firm, step.env) }),
        };
      case 'invite':
        return this.#invite(step.firm, step.env, step.adjuster);
      case 'invite many':
        for (const adjuster of this.adjusters.keys()) this.#invite(step.firm, step.env, adjuster);
        return { status: 200 };
      case 'withdraw': {
        const hidden =
          this.#isForeign(step.firm, step.adjuster) || (step.env === 'test' && this.#isReal(step.adjuster));
        if (hidden || !this.#isPending(step.firm, step.adjuster)) return { status: 404, code: 'not_found' };
        if (step.env === 'live' && !this.#isReal(step.adjuster))
          return { status: 422, code: 'environment_mismatch' };
        return this.#answerInvitation(step.firm, step.adjuster, 'withdrawn');
      }
      case 'join':
        return this.#answerInvitation(step.firm, step.adjuster, 'active');
      case 'decline':
        return this.#answerInvitation(step.firm, step.adjuster, 'declined');
      case 'accept':
      case 'reject': {
        const claim = this.claims[step.which];
        if (claim?.adjuster !== step.adjuster) return { status: 404, code: 'not_found' };
        if (claim.closed || claim.status !== 'pending_acceptance')
          return { status: 409, code: 'offer_not_pending' };
        claim.status = step.do === 'accept' ? 'accepted' : 'rejected';
        return this.#changed(step.which, 200);
      }
      case 'close':
      case 'work': {
        const claim = this.#shownTo(step.adjuster, step.which);
        if (claim === null) return { status: 404, code: 'not_found' };
        if (step.do === 'close' && claim.closed) return this.#shown(step.which, 200);
        if (claim.status !== 'accepted' || claim.closed) return { status: 409, code: 'offer_not_pending' };
        if (step.do === 'close') claim.closed = true;
        return this.#shown(step.which, 200);
      }
      case 'read':
        return this.#readable(step.adjuster, step.which)
          ? this.#shown(step.which, 200)
          : { status: 404, code: 'not_found' };
      case 'leave': {
        const member = this.#members.get(`${step.firm}/${step.adjuster}`);
        if (member?.status !== 'active') return { status: 404, code: 'not_found' };
        member.status = 'left';
        this.claims.forEach((claim, index) => {
          const waits = claim.status === 'pending_acceptance' && claim.adjuster === step.adjuster;
          if (!waits || claim.closed || claim.firm !== step.firm) return;
          claim.status = 'unassigned';
          this.#changed(index, 204);
        });
        return { status: 204 };
      }
      case 'pause':
      case 'resume': {
        const member = this.#members.get(`${step.firm}/${step.adjuster}`);
        if (member?.status !== 'active') return { status: 404, code: 'not_found' };
        member.accepting = step.do === 'resume';
        return { status: 200 };
      }
      case 'operator closes': {
        const claim = this.claims[step.which];
        if (claim !== undefined) claim.closed = true;
        return { status: 0 };
      }
      case 'take back':
      case 'firm closes': {
        const claim = this.claims[step.which];
        if (claim?.firm !== step.firm) return { status: 404, code: 'not_found' };
        const isPending = claim.status === 'pending_acceptance' && !claim.closed;
        if (isPending) claim.status = 'unassigned';
        if (step.do === 'firm closes') claim.closed = true;
        else if (claim.status === 'accepted') return { status: 409, code: 'claim_already_accepted' };
        else if (!isPending) return { status: 409, code: 'offer_not_pending' };
        return isPending ? this.#changed(step.which, 200) : this.#shown(step.which, 200);
      }
      case 'adjusters':
      case 'offers':
      case 'invitations':
      case 'profile':
        return { status: 200 };
    }
  }

  #isReal(adjuster: number): boolean {
    return this.adjusters[adjuster]?.testOf === null;
  }

  /** To a firm, the test accounts of other firms do not exist. */
  #isForeign(firm: number, adjuster: number): boolean {
    const testOf = this.adjusters[adjuster]?.testOf ?? null;
    return testOf !== null && testOf !== firm;
  }

  #visible(firm: number, env: Environment, which: number): ModelClaim | null {
    const claim = this.claims[which];
    return claim?.firm === firm && (env === 'live' || claim.env === 'test') ? claim : null;
  }

  #shownTo(adjuster: number, which: number): ModelClaim | null {
    const claim = this.claims[which];
    const held = claim?.status === 'pending_acceptance' || claim?.status === 'accepted';
    return held && claim.adjuster === adjuster ? claim : null;
  }

  #readable(adjuster: number, which: number): boolean {
    const claim = this.#shownTo(adjuster, which);
    if (claim === null) return false;
    const isMember = this.#members.get(`${claim.firm}/${adjuster}`)?.status === 'active';
    return isMember || (claim.status === 'accepted' && !claim.closed);
  }

  #addressee(firm: number, env: Environment, adjuster: number): Prediction | null {
    if (this.#isForeign(firm, adjuster)) return { status: 422, code: 'unknown_osaid' };
    if (env === 'live' && !this.#isReal(adjuster)) return { status: 422, code: 'environment_mismatch' };
    const member = this.#members.get(`${firm}/${adjuster}`);
    if ((env === 'test' && this.#isReal(adjuster)) || member?.status !== 'active') {
      return { status: 422, code: 'adjuster_not_in_firm' };
    }
    return member.accepting ? null : { status: 422, code: 'adjuster_not_accepting' };
  }

  #once(
    firm: number,
    env: Environment,
    key: number,
    request: string,
    status: number,
    attempt: () => Prediction,
  ): Prediction {
    const slot = `${firm}/${env}/${key}`;
    const bound = this.#keys.get(slot);
    if (bound !== undefined && this.#now - bound.at < DAY) {
      if (bound.request !== request) return { status: 422, code: 'idempotency_key_reused' };
      return { ...this.#shown(bound.claim, status), replayed: true };
    }
    const made = attempt();
    if (made.claim !== undefined) this.#keys.set(slot, { request, claim: made.claim, at: this.#now });
    return made;
  }

  #invite(firm: number, env: Environment, adjuster: number): Prediction {
    const unknown = this.#isForeign(firm, adjuster) || (env === 'test' && this.#isReal(adjuster));
    if (unknown) return { status: 422, code: 'unknown_osaid' };
    if (env === 'live' && !this.#isReal(adjuster)) return { status: 422, code: 'environment_mismatch' };
    const member = this.#members.get(`${firm}/${adjuster}`);
    if (member?.status === 'active') return { status: 409, code: 'already_member' };
    if (member?.status === 'pending' && this.#now < member.expires)
      return { status: 409, code: 'invitation_pending' };
    this.#members.set(`${firm}/${adjuster}`, {
      status: 'pending',
      expires: this.#now + 7 * DAY,
      accepting: true,
    });
    return { status: 201 };
  }

  #isPending(firm: number, adjuster: number): boolean {
    const member = this.#members.get(`${firm}/${adjuster}`);
    return member?.status === 'pending' && this.#now < member.expires;
  }

  #answerInvitation(firm: number, adjuster: number, status: 'active' | 'declined' | 'withdrawn'): Prediction {
    const member = this.#members.get(`${firm}/${adjuster}`);
    if (member?.status !== 'pending' || this.#now >= member.expires)
      return { status: 404, code: 'not_found' };
    member.status = status;
    return { status: 200 };
  }

  #changed(index: number, status: number): Prediction {
    const before = this.#changes.indexOf(index);
    if (before >= 0) this.#changes.splice(before, 1);
    this.#changes.push(index);
    return this.#shown(index, status);
  }

  #shown(index: number, status: number): Prediction {
    const { status: now, adjuster } = this.claims[index] as ModelClaim;
    return { status, claim: index, assignment: { status: now, adjuster } };
  }

  #feed(firm: number, env: Environment): number[] {
    return this.#changes.filter((index) => this.#visible(firm, env, index) !== null);
  }
}
