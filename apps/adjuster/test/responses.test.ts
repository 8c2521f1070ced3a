import { afterEach, expect, jest, test } from '@jest/globals';
import { EXAMPLES } from '@svc/contract';
import { createApi } from '@svc/web-app/api';
import { NetworkError } from '@svc/web-app/api-error';
import type { RequestParts } from '@svc/web-app/endpoints';
import { ROUTES as DESK_ROUTES } from '../../desk/src/endpoints.ts';
import { ROUTES as APP_ROUTES } from '../src/data/endpoints.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

type SendAny = (id: string, parts?: RequestParts) => Promise<unknown>;

/** Of the pages themselves, which the contract does not have. */
const PAGE_EXAMPLES: Readonly<Record<string, unknown>> = {
  openSession: { expires_at: '2026-11-28T12:00:00.000Z' },
  startPasskeySignIn: { options: {} },
  getPushKey: { key: 'BPush' },
};
const examples: Readonly<Record<string, { readonly response?: unknown } | undefined>> = EXAMPLES;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FOREIGN: readonly (readonly [string, string | null, number, Record<string, string>])[] = [
  ['an empty 200', '', 200, JSON_TYPE],
  ['an empty object', '{}', 200, JSON_TYPE],
  ['an empty object, created', '{}', 201, JSON_TYPE],
  ['an empty object, taken', '{}', 202, JSON_TYPE],
  ['null', 'null', 200, JSON_TYPE],
  ['a list', '[]', 200, JSON_TYPE],
  ['a text', '"ok"', 200, JSON_TYPE],
  ['the status of a gateway', '{"status":"success","data":{"login":true}}', 200, JSON_TYPE],
  ['the page of a portal', '<html>Sign in to the network</html>', 200, { 'Content-Type': 'text/html' }],
  ['a page that says it is JSON', '<html></html>', 201, JSON_TYPE],
  ['205', null, 205, {}],
];

test.each([
  ['the app', '/app/', APP_ROUTES],
  ['the desk', '/firm/', DESK_ROUTES],
] as const)(
  'an operation of %s succeeds by its own response, and by nothing else',
  async (_, root, routes) => {
    const { call } = createApi<SendAny>(root, routes);
    const responded = async (id: string, parts: RequestParts, ...[body, status, headers]: Foreign) => {
      jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body, { status, headers }));
      return call(id, parts).then(
        () => 'success',
        (error: unknown) => (error instanceof NetworkError ? 'sent again' : String(error)),
      );
    };
    const wrong: string[] = [];
    for (const [id, route] of Object.entries(routes)) {
      const status = Number(route.split(' ')[2]);
      const example = PAGE_EXAMPLES[id] ?? examples[id]?.response;
      const own = Object(example) as Readonly<Record<string, unknown>>;
      const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const params = Object.fromEntries(names.map((name) => [name, String(own[name] ?? 'an-id')]));
      const text = example === undefined ? null : JSON.stringify(example);
      if ((await responded(id, { params }, text, status, JSON_TYPE)) !== 'success')
        wrong.push(`${id}: its own`);
      const foreign = [
        ...FOREIGN,
        ['204', null, 204, {}] as const,
        ...(names.some((name) => own[name] !== undefined)
          ? [
              [
                'that of another one',
                JSON.stringify({ ...own, [names[0] ?? '']: 'other' }),
                status,
                JSON_TYPE,
              ] as const,
            ]
          : []),
      ];
      for (const [what, body, foreignStatus, headers] of foreign) {
        if (foreignStatus === status && text === null && (body ?? '') === '') continue;
        const outcome = await responded(id, { params }, body, foreignStatus, headers);
        if (outcome !== 'sent again') wrong.push(`${id}: ${what}: ${outcome}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

type Foreign = [body: string | null, status: number, headers: Record<string, string>];
