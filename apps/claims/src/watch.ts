import { rename, writeFile } from 'node:fs/promises';
import type { Claim, ClaimsError, Client } from '@svc/client';
import type { Environment, Output } from './environment.ts';
import { readTextFile } from './input.ts';
import { type Colors, claimRow, colorsFor, createTable, jsonLine, sanitized } from './output.ts';

interface WatchOptions {
  readonly since: Date | undefined;
  readonly includeTest: boolean;
  readonly intervalMs: number;
  /** File with the position for the next run. */
  readonly state: string | undefined;
  readonly json: boolean;
}

/** Runs until it is stopped. */
export async function watch(client: Client, options: WatchOptions, environment: Environment): Promise<void> {
  const { stdout, stderr, signal, env } = environment;
  const rows = createTable(colorsFor(stdout, env), false);
  const view = options.json
    ? linesOf(stdout, stderr, jsonLine)
    : stdout.isTTY
      ? liveTable(stdout, colorsFor(stdout, env))
      : linesOf(stdout, stderr, (claim) => `${rows([claimRow(claim)]).join('\n')}\n`);
  const { state } = options;
  view.begin();
  try {
    const changes = client.pollClaims({
      position: state === undefined ? undefined : (await readTextFile(state))?.text,
      since: options.since,
      includeTest: options.includeTest,
      intervalMs: options.intervalMs,
      signal,
      onPosition: async (position) => {
        if (state !== undefined) await writeState(state, position);
      },
      onResponse: ({ status }) => {
        if (status === 200) view.polled(environment.now());
      },
      onError: (error) => view.failed(error),
    });
    for await (const claim of changes) view.changed(claim);
  } finally {
    view.end();
  }
}

interface View {
  begin(): void;
  changed(claim: Claim): void;
  polled(at: number): void;
  failed(error: ClaimsError): void;
  end(): void;
}

function linesOf(stdout: Output, stderr: Output, line: (claim: Claim) => string): View {
  return {
    begin() {},
    changed: (claim) => void stdout.write(line(claim)),
    polled() {},
    failed: ({ message }) => void stderr.write(`claims: ${sanitized(message)}; watching continues\n`),
    end() {},
  };
}

function liveTable(stdout: Output, colors: Colors): View {
  const claims = new Map<string, Claim>();
  let polledAt: number | null = null;
  let error: string | null = null;
  let drawnLines = 0;
  const draw = () => {
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    const lines = liveLines([...claims.values()], { polledAt, error, ...size }, colors);
    // Moves to the first line of the last drawing and clears the screen below.
    stdout.write(
      `${drawnLines > 0 ? `\x1b[${drawnLines}A` : ''}\r\x1b[J${lines.map((line) => `${line}\n`).join('')}`,
    );
    drawnLines = lines.length;
  };
  return {
    begin: () => void stdout.write('\x1b[?25l'),
    changed(claim) {
      // Moves the claim to the end: the latest change comes last.
      claims.delete(claim.id);
      claims.set(claim.id, claim);
      draw();
    },
    polled(at) {
      polledAt = at;
      error = null;
      draw();
    },
    failed({ message }) {
      error = message;
      draw();
    },
    end: () => void stdout.write('\x1b[?25h'),
  };
}

interface LiveState {
  readonly polledAt: number | null;
  readonly error: string | null;
  readonly columns: number;
  readonly rows: number;
}

/** What fits on the screen: the counts per status, and the latest changes with the newest at the bottom. */
export function liveLines(claims: readonly Claim[], state: LiveState, colors: Colors): string[] {
  const counts = new Map<string, number>();
  for (const { assignment } of claims)
    counts.set(assignment.status, (counts.get(assignment.status) ?? 0) + 1);
  const figures = [...counts].map(([status, count]) => `${count} ${sanitized(status)}`).join(', ');
  const checked =
    state.polledAt === null
      ? 'not polled yet'
      : `polled at ${new Date(state.polledAt).toISOString().slice(11, 19)} UTC`;
  const foot = state.error === null ? checked : `${checked}; ${sanitized(state.error)}`;
  const fitting = claims.slice(-Math.max(1, state.rows - 5));
  const hidden = claims.length - fitting.length;
  const head = `${figures === '' ? 'no changes yet' : figures}${hidden > 0 ? `; showing the latest ${fitting.length}` : ''}`;
  // Truncated before coloring, since escape codes have no width. A wrapped line would break the next redraw.
  const plain =
    fitting.length === 0
      ? []
      : fittingTable(fitting, state.columns).map((line) => line.slice(0, state.columns - 1));
  const colored = plain.map((line, i) =>
    i === 0 ? colors.bold(line) : colorStatus(line, fitting[i - 1], colors),
  );
  return [
    head.slice(0, state.columns - 1),
    ...colored,
    (state.error === null ? colors.dim : colors.yellow)(foot.slice(0, state.columns - 1)),
  ];
}

const NO_COLORS = colorsFor({ write() {} }, {});

/** Leaves out columns, the least important first, until the start of the reason fits too. */
function fittingTable(claims: readonly Claim[], columns: number): string[] {
  const rows: Record<string, unknown>[] = claims.map(claimRow);
  const tableOf = (all: readonly Record<string, unknown>[]) => createTable(NO_COLORS, true)(all);
  for (const column of ['id', 'claim_number', 'updated_at']) {
    const short = rows.map((row) => ({ ...row, reason: sanitized(row.reason).slice(0, 20) }));
    if (tableOf(short).every(({ length }) => length < columns)) break;
    for (const row of rows) delete row[column];
  }
  return tableOf(rows);
}

function colorStatus(line: string, claim: Claim | undefined, colors: Colors): string {
  const status = sanitized(claim?.assignment.status);
  const at = line.indexOf(status);
  if (at < 0) return line;
  const color = {
    accepted: colors.green,
    rejected: colors.red,
    unassigned: colors.red,
    pending_acceptance: colors.yellow,
  }[status];
  return color === undefined ? line : `${line.slice(0, at)}${color(status)}${line.slice(at + status.length)}`;
}

/** Writes a temporary file and renames it, so that a crash cannot leave half a position. */
async function writeState(path: string, position: string): Promise<void> {
  const temporaryPath = `${path}.draft`;
  await writeFile(temporaryPath, position, { mode: 0o600 });
  await rename(temporaryPath, path);
}
