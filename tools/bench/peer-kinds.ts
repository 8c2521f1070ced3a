// Translates requests for each peer, and its responses to the format of the service.

import type { BenchRequest } from './connection.ts';
import type { Path } from './paths.ts';

export interface PeerKind {
  /** The folder in peers/ with its sources. */
  readonly name: string;
  readonly paths: readonly Path[];
  /** Work of the service and the baseline that this peer omits, which improves its ratio. */
  readonly omits: string;
  /** The request in the peer's form. */
  readonly mapRequest: (path: Path, request: BenchRequest) => BenchRequest;
  /** The peer's response in the service's form. */
  readonly mapResponse: (path: Path, response: unknown) => unknown;
}

interface Node {
  readonly id: string;
  readonly environment: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: string;
  readonly adjusterSvcId: string;
  readonly respondedAt: string | null;
  readonly rejectionReason: string | null;
  readonly document: object;
}

const isoOf = (stamp: string): string => new Date(stamp).toISOString();

const claimOf = (node: Node): object => ({
  id: node.id,
  test: node.environment === 'test',
  created_at: isoOf(node.createdAt),
  updated_at: isoOf(node.updatedAt),
  assignment: {
    status: node.status,
    adjuster_svc_id: node.adjusterSvcId,
    responded_at: node.respondedAt === null ? null : isoOf(node.respondedAt),
    rejection_reason: node.rejectionReason,
  },
  ...node.document,
});

function toGraphql(path: Path, { path: place, headers }: BenchRequest): BenchRequest {
  const url = new URL(place, 'http://peer');
  const variables =
    path === 'get'
      ? { id: url.pathname.split('/').at(-1) }
      : { since: url.searchParams.get('updated_since'), limit: Number(url.searchParams.get('limit')) };
  return {
    method: 'POST',
    path: '/graphql',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ operationName: path, variables }),
  };
}

function fromGraphql(path: Path, response: unknown): unknown {
  const { data } = response as {
    data: {
      claimByFirmIdAndId: Node;
      allClaims: { nodes: Node[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    };
  };
  if (path === 'get') return claimOf(data.claimByFirmIdAndId);
  const { nodes, pageInfo } = data.allClaims;
  return { data: nodes.map(claimOf), next_cursor: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}

function toTrpc(path: Path, request: BenchRequest): BenchRequest {
  const { method, headers, body } = request;
  const url = new URL(request.path, 'http://peer');
  // The id is the last segment, but for an acceptance.
  const id = url.pathname.split('/').at(path === 'accept' ? -2 : -1);
  const input = path === 'page' ? Object.fromEntries(url.searchParams) : { id };
  if (method === 'GET')
    return { method, path: `/${path}?input=${encodeURIComponent(JSON.stringify(input))}`, headers };
  return {
    method,
    path: `/${path}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body ?? JSON.stringify(input),
  };
}

const USUAL_OMISSIONS =
  'no limits per key, no notification job, cursors unsigned, rules across fields unchecked';

export const PEERS: readonly PeerKind[] = [
  {
    name: 'nestjs',
    paths: ['get', 'page', 'send', 'accept'],
    omits: USUAL_OMISSIONS,
    mapRequest: (_, request) => request,
    mapResponse: (_, response) => response,
  },
  {
    name: 'fastify',
    paths: ['get', 'page', 'send', 'accept'],
    omits: USUAL_OMISSIONS,
    mapRequest: (_, request) => request,
    mapResponse: (_, response) => response,
  },
  {
    name: 'trpc',
    paths: ['get', 'page', 'send', 'accept'],
    omits: USUAL_OMISSIONS,
    mapRequest: toTrpc,
    mapResponse: (_, response) => (response as { result: { data: unknown } }).result.data,
  },
  {
    name: 'postgraphile',
    paths: ['get', 'page'],
    omits: 'no limits per key, only two known queries',
    mapRequest: toGraphql,
    mapResponse: fromGraphql,
  },
];
