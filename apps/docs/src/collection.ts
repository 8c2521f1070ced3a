import { type Endpoint, EXAMPLES, exampleOf, firmEndpoints, sandboxEndpoints } from '@svc/contract';
import type { DocsAddresses } from './pages.ts';

/** A collection of requests in Postman's format 2.1, which Bruno and Insomnia import too. */
export function postmanCollection({ baseUrl, docsUrl }: DocsAddresses): string {
  const folder = (name: string, endpoints: readonly Endpoint[]) => ({ name, item: endpoints.map(requestOf) });
  const firm = Object.values(firmEndpoints) as readonly Endpoint[];
  return JSON.stringify(
    {
      info: {
        name: 'Claim assignment',
        description: `Set the variables apiKey, adjuster and claimId. Documentation: ${docsUrl}`,
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      },
      auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
      variable: [
        { key: 'baseUrl', value: baseUrl },
        { key: 'apiKey', value: '' },
        { key: 'adjuster', value: '' },
        { key: 'claimId', value: '' },
      ],
      item: [
        folder(
          'Claims',
          firm.filter(({ path }) => path.startsWith('/v1/claims')),
        ),
        folder(
          'Adjusters',
          firm.filter(({ path }) => path.startsWith('/v1/adjusters')),
        ),
        folder(
          'Key and health',
          firm.filter(({ path }) => /^\/v1\/(me|health)$/.test(path)),
        ),
        folder('Sandbox (test keys only)', Object.values(sandboxEndpoints)),
      ],
    },
    null,
    2,
  );
}

function requestOf({ id, method, path, summary, description, auth, headers, query, params, body }: Endpoint) {
  const example = EXAMPLES[id as keyof typeof EXAMPLES];
  const examples = new URLSearchParams(example.search ?? '');
  const queries = Object.entries(query?.shape ?? {}).map(([key, field]) => ({
    key,
    value: examples.get(key) ?? String(exampleOf(field) ?? ''),
    description: descriptionOf(field),
    // Filters are off at first, so that the list is complete.
    disabled: key !== 'limit',
  }));
  const variables = Object.keys(params?.shape ?? {}).map((key) => ({
    key,
    value: key === 'id' ? '{{claimId}}' : '{{adjuster}}',
  }));
  const pathText = path.replace(/\{(\w+)\}/g, ':$1');
  return {
    name: summary,
    request: {
      method,
      description,
      ...(auth === 'none' && { auth: { type: 'noauth' } }),
      header: [
        ...(headers === undefined ? [] : [{ key: 'Idempotency-Key', value: '{{$guid}}' }]),
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      url: {
        raw: `{{baseUrl}}${pathText}`,
        host: ['{{baseUrl}}'],
        path: pathText.slice(1).split('/'),
        ...(queries.length > 0 && { query: queries }),
        ...(variables.length > 0 && { variable: variables }),
      },
      ...(example.body !== undefined && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(withVariables(example.body), null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
}

/** Ids that must be unique or the reader's own become variables. */
const withVariables = (body: unknown): unknown => {
  const { external_id, claim_number, adjuster_svc_id, svc_id, ...rest } = body as Record<string, unknown>;
  return {
    ...(external_id !== undefined && { external_id: 'EXT-{{$guid}}' }),
    ...(claim_number !== undefined && { claim_number: 'CLM-{{$guid}}' }),
    ...(adjuster_svc_id !== undefined && { adjuster_svc_id: '{{adjuster}}' }),
    ...(svc_id !== undefined && { svc_id: '{{adjuster}}' }),
    ...rest,
  };
};

const descriptionOf = (field: unknown): string | undefined =>
  (field as { meta(): { description?: string } | undefined }).meta()?.description;
