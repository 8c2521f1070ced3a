import {
  type AuditVerification,
  byAccount,
  type KeysetPosition,
  type OperationUseCases,
  type StaffReads,
  staffObject,
} from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import { DomainError } from '@svc/domain';
import { asciiJson } from '../serialization/ascii-json.ts';
import type { CursorScope, Cursors } from '../serialization/cursor.ts';
import { deskReader, page, pageRequest, withJsonRows } from './paging.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

interface DeskAuditRouteDeps extends OperationUseCases {
  readonly staffReads: StaffReads;
  readonly cursors: Cursors;
}

function verificationToWire(
  { next, ...verified }: AuditVerification & { readonly next: KeysetPosition | null },
  cursors: Cursors,
  scope: CursorScope,
) {
  if (!verified.intact) return verified;
  const { rows, last } = verified;
  return { intact: true, rows, last, ...(next !== null && { next_cursor: cursors.write(next, scope) }) };
}

/** The audit trail of the firm. */
export function deskAuditRoutes(use: DeskAuditRouteDeps): Route[] {
  const { staffReads, cursors } = use;
  return [
    staffRoute(deskEndpoints.listAudit, async ({ query }, { actor: { firmId }, longWork }) => {
      const { since, until, actor, action, object, request_id: requestId } = query;
      const filter = { since, until, actor, action, object, requestId };
      const scope = { list: 'audit', reader: deskReader(firmId), filters: filter };
      const asked = pageRequest(query, cursors, scope);
      const members = await staffReads.ofFirm(firmId);
      const names = new Map(members.map(({ staffId, name }) => [staffObject(staffId), name]));
      const events = await longWork('search', async (nextPiece) =>
        withJsonRows(
          await use.listAudit(firmId, filter, asked, nextPiece),
          ({ id, seq, hash, entry }) =>
            asciiJson({ id, seq, ...entry, actor_name: names.get(entry.actor) ?? null, hash }),
          nextPiece,
        ),
      );
      return {
        ...page(events, (text) => text, cursors, scope),
        reads: [{ firmId, action: 'audit.read', object: null }],
      };
    }),

    staffRoute(deskEndpoints.verifyAudit, async ({ query }, { actor, longWork }) => {
      const { cursor, ...period } = query;
      const scope = { list: 'audit-verification', reader: deskReader(actor.firmId), filters: period };
      const { after } = pageRequest({ limit: 1, cursor }, cursors, scope);
      const verified = await longWork('verification', (nextPiece) =>
        use.verifyAudit(byAccount(actor), actor.firmId, { ...period, after }, nextPiece),
      );
      if (verified === null) throw new DomainError('not_found', 'The firm has no audit trail.');
      return jsonResponse(verificationToWire(verified, cursors, scope));
    }),
  ];
}
