import {
  type ApiKey,
  byAccount,
  type Clock,
  type KeyUseCases,
  type OperatorReads,
  type StaffReads,
} from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import { DAY, DomainError, type FirmId, HOUR, type KeyId, type StaffId } from '@svc/domain';
import type { ProblemAddresses } from '../problems/http-problem.ts';
import { asciiJson } from '../serialization/ascii-json.ts';
import type { Cursors } from '../serialization/cursor.ts';
import { keyToWire, limitsToWire, type RequestContext, requestToWire } from '../serialization/developer.ts';
import { deskReader, page, pageRequest } from './paging.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

interface DeskDeveloperRouteDeps extends KeyUseCases {
  readonly operatorReads: Pick<OperatorReads, 'firm' | 'keyPage'>;
  readonly staffReads: Pick<StaffReads, 'ofFirm'>;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly addresses: Pick<ProblemAddresses, 'docsUrl'>;
}

/** The latest ones; of older keys the log shows the ids. */
const MAX_NAMED_KEYS = 1000;

/** Keys and requests of the firm's systems. */
export function deskDeveloperRoutes(use: DeskDeveloperRouteDeps): Route[] {
  const { operatorReads, staffReads, cursors, clock, addresses } = use;
  const keyDocuments = async (firmId: FirmId) => {
    const [firm, staff] = await Promise.all([operatorReads.firm(firmId), staffReads.ofFirm(firmId)]);
    if (firm === null) throw new DomainError('not_found', 'No such firm.');
    return (key: ApiKey) => keyToWire(key, { firm, staff, now: clock.now() });
  };
  const requestContext = async (firmId: FirmId): Promise<RequestContext> => {
    const { rows } = await operatorReads.keyPage(firmId, { after: null, limit: MAX_NAMED_KEYS });
    return { docsUrl: addresses.docsUrl, keyNames: new Map(rows.map(({ id, name }) => [id, name])) };
  };
  return [
    staffRoute(deskEndpoints.listKeys, async ({ query }, { actor: { firmId } }) => {
      const scope = { list: 'keys', reader: deskReader(firmId), filters: {} };
      const document = await keyDocuments(firmId);
      const keys = await operatorReads.keyPage(firmId, pageRequest(query, cursors, scope));
      return {
        ...page(keys, (key) => asciiJson(document(key)), cursors, scope),
        reads: [{ firmId, action: 'keys.read', object: null }],
      };
    }),

    staffRoute(deskEndpoints.createKey, async ({ body }, { actor }) => {
      const { firmId } = actor;
      const { environment, purpose = 'full_access', expires_in_days: days, name } = body;
      const lifetimeMs = days === undefined ? null : days * DAY;
      const document = await keyDocuments(firmId);
      const properties = { firmId, environment, purpose, lifetimeMs, name };
      const { key, secret } = await use.createKey(byAccount(actor), properties, actor);
      return jsonResponse({ key: document(key), secret }, 201);
    }),

    staffRoute(deskEndpoints.rollKey, async ({ params, body }, { actor }) => {
      const { firmId } = actor;
      const document = await keyDocuments(firmId);
      const overlapMs = body.overlap_hours === undefined ? DAY : body.overlap_hours * HOUR;
      const rolled = await use.rollKey(byAccount(actor), params.key_id as KeyId, overlapMs, actor);
      const { key, secret, replaced } = rolled;
      return jsonResponse({ key: document(key), secret, replaced: document(replaced) }, 201);
    }),

    staffRoute(deskEndpoints.updateKey, async ({ params, body }, { actor }) => {
      const document = await keyDocuments(actor.firmId);
      const { firmId } = actor;
      const renamed = await use.renameKey(byAccount(actor), params.key_id as KeyId, body.name, firmId);
      return jsonResponse(document(renamed));
    }),

    staffRoute(deskEndpoints.revokeKeysOfMaker, async ({ body }, { actor }) => {
      const { firmId } = actor;
      const document = await keyDocuments(firmId);
      const maker = { firmId, staffId: body.staff_id.toLowerCase() as StaffId };
      const revoked = await use.revokeKeysOfMaker(byAccount(actor), maker);
      return jsonResponse({ data: revoked.map(document), next_cursor: null });
    }),

    staffRoute(deskEndpoints.revokeKey, async ({ params }, { actor }) => {
      const document = await keyDocuments(actor.firmId);
      const revoked = await use.revokeKey(byAccount(actor), params.key_id as KeyId, actor.firmId);
      return jsonResponse(document(revoked));
    }),

    staffRoute(deskEndpoints.getLimits, async (_, { actor: { firmId } }) =>
      jsonResponse(limitsToWire(await use.readLimits(firmId))),
    ),

    staffRoute(deskEndpoints.listRequests, async ({ query }, { actor: { firmId }, longWork }) => {
      const { key, environment, code, errors, path, since, request_id: requestId } = query;
      const filters = { key, environment, code, errors, path, since, requestId };
      const scope = { list: 'requests', reader: deskReader(firmId), filters };
      const asked = pageRequest(query, cursors, scope);
      const filter = { ...filters, keyId: key as KeyId | undefined, errorsOnly: errors === 'true' };
      const requests = await longWork('search', (nextPiece) =>
        use.listRequests(firmId, filter, asked, nextPiece),
      );
      const context = await requestContext(firmId);
      return page(requests, (request) => asciiJson(requestToWire(request, context)), cursors, scope);
    }),

    staffRoute(deskEndpoints.getRequest, async ({ params }, { actor: { firmId } }) => {
      const request = await use.readRequest(firmId, params.request_id);
      return jsonResponse(requestToWire(request, await requestContext(firmId)));
    }),
  ];
}
