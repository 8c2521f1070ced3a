import type { ClaimUseCases } from '@svc/application';
import { deskEndpoints } from '@svc/contract';
import { readinessToWire } from '../serialization/readiness.ts';
import { jsonResponse, type Route, staffRoute } from './route.ts';

/** The check of a firm's integration, for its developers. */
export const deskReadinessRoutes = ({ checkReadiness }: ClaimUseCases): Route[] => [
  staffRoute(deskEndpoints.getFirmReadiness, async ({ query: { since } }, { actor, longWork }) =>
    longWork('search', async (nextPiece) =>
      jsonResponse(readinessToWire(await checkReadiness(actor.firmId, { since }, nextPiece))),
    ),
  ),
];
