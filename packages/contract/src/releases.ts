interface Release {
  readonly version: string;
  readonly date: string;
  readonly summary: string;
  /** Besides the operations that have its version as `since`. In Markdown; links to pages start with a slash. */
  readonly changes: readonly string[];
}

/** Of the interface, latest first: the changelog of the documentation. A breaking change is announced here in advance. */
export const RELEASES = [
  {
    version: '1.2.0',
    date: '2026-11-26',
    summary: 'Additions only; nothing that exists has changed.',
    changes: [
      '[Receipts](/receipts.md): signed proof of an offer and its response, which anyone can verify',
      '[Webhooks](/webhooks.md) say when to poll, and the OpenAPI document describes them',
      '[Check of your integration](/readiness.md): rehearse a storm, and see what your program did wrong with its test key',
    ],
  },
  {
    version: '1.1.0',
    date: '2026-11-22',
    summary: 'Additions only; nothing that exists has changed.',
    changes: [
      '[Sandbox](/reference/sandbox.md): with a test key, respond to offers and invitations immediately, let adjusters leave, and simulate failures of the service',
      'Errors say which of their causes it was: each cause of `invalid_key`, line and column of invalid JSON, the path that was meant, and hints for values that are surely meant',
      '[MCP server](/mcp.md) at `POST /mcp`: the operations as tools for AI agents',
      '[Packages](/packages/index.md): the SDK and the command line for installation from the service; [quick starts](/quick-starts.md) in four languages',
      'The OpenAPI document names every object and enum, has the operations for firms only, and has a [copy in OpenAPI 3.0](/generated-clients.md)',
      'If the service had to be restored to an earlier time, polling delivers the [affected claims](/polling.md#after-a-restore) once more, and the status page says so',
      'A `traceparent` header (W3C Trace Context) is continued where the service records traces',
      'A [status page](/support.md#status), and a feed of this changelog',
    ],
  },
  {
    version: '1.0.0',
    date: '2026-11-21',
    summary: 'The first release of `/v1`.',
    changes: [
      'Claims: send, read, poll, offer to another adjuster',
      'Details of building and flood map, dates, coverages and estimate; the two cross-field rules',
      "Carrier details stored per firm and filled in on the adjuster's forms",
      'Adjusters: invite with four notes, list, withdraw',
      'Key check and health check',
      'Test keys, and test accounts that respond automatically',
    ],
  },
] as const satisfies readonly [Release, ...Release[]];

/** Not of the service: what the OpenAPI document has as its version. */
export const INTERFACE_VERSION = RELEASES[0].version;
