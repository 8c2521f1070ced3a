import type { AdjusterResponse } from '../adjuster.ts';
import type { ClaimResponse, SendClaimBody } from '../claim.ts';
import { credentialsExample } from '../credentials.ts';
import type { Example } from '../example.ts';
import type { Receipt } from '../receipt.ts';
import type {
  AnswersReport,
  BoardAdjuster,
  BoardClaimDetails,
  BoardClaimResponse,
  BoardCounts,
  boardEndpoints,
  InvitationResult,
  OfferResponse,
} from './board.ts';

/** @param of the examples of the firm API, of which the desk's are made. */
export function boardExamples(of: {
  readonly body: SendClaimBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: ClaimResponse;
  readonly invited: AdjusterResponse;
  readonly member: AdjusterResponse;
  readonly receipt: Receipt;
}): { readonly [Id in keyof typeof boardEndpoints]: Example } {
  const { sent, member, invited, headers } = of;
  const row = {
    id: sent.id,
    test: false,
    external_id: sent.external_id,
    claim_number: sent.claim_number,
    name: 'Marisol Delgado',
    place: { street: '1420 Seagrape Lane', city: 'Fort Myers Beach', state: 'FL', zip: '33931' },
    carrier: sent.carrier.name,
    status: sent.assignment.status,
    adjuster_svc_id: sent.assignment.adjuster_svc_id,
    adjuster_name: member.name,
    offered_at: sent.created_at,
    responded_at: null,
    waiting_since: sent.created_at,
    late: false,
    form_type: 'dwelling',
    clocks: null,
    updated_at: sent.updated_at,
    closed_at: null,
  } satisfies BoardClaimResponse;
  const offer = {
    adjuster_svc_id: row.adjuster_svc_id,
    adjuster_name: row.adjuster_name,
    offered_at: row.offered_at,
    offered_by: { type: 'staff', id: '7c1f0c8e-52a4-4f0c-9d57-0b6a5a0f2c11', name: 'Priya Nair' },
    outcome: 'pending',
    pushes: [{ channel: 'device:Zt1v3kq9S0', outcome: 'delivered', at: '2026-08-29T14:52:08.020Z' }],
    seen_at: '2026-08-29T14:53:40.001Z',
    reminded_at: null,
    responded_at: null,
    rejection_reason: null,
    withdrawn_by: null,
    ended_at: null,
  } satisfies OfferResponse;
  const counts = {
    offers: 48,
    accepted: 40,
    rejected: 5,
    unassigned: 0,
    withdrawn: 2,
    closed: 0,
    pending: 1,
    median_answer_seconds: 724.095,
    p90_answer_seconds: 7260,
    contacts_shared: 31,
    contacts_in_time: 28,
    contacts_late: 2,
  };
  const unassigned = {
    ...sent,
    assignment: { ...sent.assignment, status: 'unassigned' },
  } satisfies ClaimResponse;
  const svcIdPath = { svc_id: member.svc_id };
  return {
    listBoardClaims: {
      search: 'status=pending_acceptance&order=waiting&limit=50',
      response: {
        data: [row],
        next_cursor: null,
        counts: { waiting: 412, late: 7, rejected: 3, unassigned: 1 } satisfies BoardCounts,
      },
    },
    getBoardClaim: {
      params: { id: sent.id },
      response: {
        claim: sent,
        late: false,
        clocks: null,
        waiting_since: row.waiting_since,
        closed_at: null,
        closed_by: null,
        closure_reason: null,
        history: [offer],
      } satisfies BoardClaimDetails,
    },
    getBoardReceipt: { params: { id: sent.id }, response: of.receipt },
    sendBoardClaim: { headers, body: of.body, response: sent },
    offerBoardClaim: {
      params: { id: sent.id },
      headers,
      body: { adjuster_svc_id: member.svc_id, updated_at: sent.updated_at },
      response: sent,
    },
    withdrawBoardOffer: {
      params: { id: sent.id },
      body: { updated_at: sent.updated_at },
      response: unassigned,
    },
    closeBoardClaim: {
      params: { id: sent.id },
      body: { reason: 'The policyholder has withdrawn the claim.' },
      response: { ...unassigned, closed_at: '2026-09-12T20:00:00.000Z' },
    },
    listBoardAdjusters: {
      response: {
        data: [
          {
            ...member,
            can_accept_claims: true,
            accepting_assignments: true,
            seen_at: '2026-08-20T13:20:00.000Z',
            reminded_at: null,
            shares_credentials: true,
            open_offers: 3,
            open_claims: 41,
            rejected_at: null,
            median_answer_seconds: 724.095,
            distance: 38,
            warnings: [],
          } satisfies BoardAdjuster,
        ],
        next_cursor: null,
      },
    },
    spreadClaims: {
      body: {
        adjusters: [{ svc_id: member.svc_id, given: 0 }],
        claims: [{ id: sent.id, zip: row.place.zip, state: row.place.state }],
      },
      response: {
        offers: [{ id: sent.id, adjuster_svc_id: member.svc_id, distance: 38, warnings: ['limit_reached'] }],
      },
    },
    getSharedCredentials: { params: { svc_id: member.svc_id }, response: credentialsExample },
    inviteBoardAdjuster: { body: { svc_id: invited.svc_id }, response: invited },
    inviteBoardAdjusters: {
      body: { svc_ids: [invited.svc_id, member.svc_id, 'SVC-9X9X-Nobody'] },
      response: {
        results: [
          { svc_id: invited.svc_id, outcome: 'invited', status: 'pending' },
          {
            svc_id: member.svc_id,
            outcome: 'already_member',
            status: 'active',
            detail: 'This adjuster is already a member of the firm.',
          },
          {
            svc_id: 'SVC-9X9X-Nobody',
            outcome: 'unknown_osaid',
            detail:
              "No adjuster has this SVCID. SVCIDs are case-sensitive; a test key can name only the firm's test accounts.",
          },
        ] satisfies InvitationResult[],
      },
    },
    withdrawBoardInvitation: {
      params: svcIdPath,
      response: { ...invited, status: 'withdrawn', expires_at: null } satisfies AdjusterResponse,
    },
    reportAnswers: {
      search: 'by=adjuster&since=2026-08-01T00%3A00%3A00Z&until=2026-09-01T00%3A00%3A00Z',
      response: {
        since: '2026-08-01T00:00:00.000Z',
        until: '2026-09-01T00:00:00.000Z',
        by: 'adjuster',
        total: { group: '', label: '', ...counts },
        rows: [{ group: member.svc_id, label: member.name ?? member.svc_id, ...counts }],
      } satisfies AnswersReport,
    },
  };
}
