import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Claim, ClaimsError, Client } from '@svc/client';
import { type Environment, type Sink, UsageError } from './environment.ts';
import { type Colors, claimRow, colorsFor, jsonLine, table, visible } from './output.ts';

interface WatchArguments {
  readonly since: Date | undefined;
  readonly intervalMs: number;
  /** Where the position is kept from run to run. */
  readonly state: string | undefined;
  readonly json: boolean;
}

/** Until the user stops it. */
export async function watch(client: Client, wanted: WatchArguments, around: Environment): Promise<void> {
  const { stdout, stderr, signal, env } = around;
  const view = wanted.json
    ? linesOf(stdout, stderr, jsonLine)
    : stdout.isTTY
      ? liveTable(stdout, colorsFor(stdout, env))
      : linesOf(stdout, stderr, changeLine);
  const { state } = wanted;
  view.begin();
  try {
    const changes = client.pollClaims({
      position: state === undefined ? undefined : await readState(state),
      since: wanted.since,
      intervalMs: wanted.intervalMs,
      signal,
      onPosition: async (position) => {
        if (state !== undefined) await writeState(state, position);
      },
      onResponse: ({ status }) => {
        if (status === 200) view.asked(around.now());
      },
      onError: (error) => view.trouble(error),
    });
    for await (const claim of changes) view.changed(claim);
  } finally {
    view.end();
  }
}

interface View {
  begin(): void;
  changed(claim: Claim): void;
  asked(at: number): void;
  trouble(error: ClaimsError): void;
  end(): void;
}

function linesOf(stdout: Sink, stderr: Sink, line: (claim: Claim) => string): View {
  return {
    begin() {},
    changed: (claim) => void stdout.write(line(claim)),
    asked() {},
    trouble: ({ message }) => void stderr.write(`claims: ${visible(message)}; watching goes on\n`),
    end() {},
  };
}

/** Columns that a program can cut apart: none of them is ever empty, and the reason, which has blanks, comes last. */
const changeLine = (claim: Claim): string => {
  const { updated_at, status, external_id, id, adjuster, reason } = claimRow(claim);
  return `${[updated_at, status, external_id, id, adjuster, reason].map(visible).join('\t')}\n`;
};

function liveTable(stdout: Sink, colors: Colors): View {
  const claims = new Map<string, Claim>();
  let askedAt: number | null = null;
  let trouble: string | null = null;
  let drawn = 0;
  const draw = () => {
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    const lines = liveLines([...claims.values()], { askedAt, trouble, ...size }, colors);
    // Back to where the last drawing began, and everything below it gone.
    stdout.write(`${drawn > 0 ? `\x1b[${drawn}A` : ''}\r\x1b[J${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines.length;
  };
  return {
    begin: () => void stdout.write('\x1b[?25l'),
    changed(claim) {
      // Behind the others, where the latest change belongs.
      claims.delete(claim.id);
      claims.set(claim.id, claim);
      draw();
    },
    asked(at) {
      askedAt = at;
      trouble = null;
      draw();
    },
    trouble({ message }) {
      trouble = message;
      draw();
    },
    end: () => void stdout.write('\x1b[?25h'),
  };
}

interface LiveState {
  readonly askedAt: number | null;
  readonly trouble: string | null;
  readonly columns: number;
  readonly rows: number;
}

/** What fits on the screen: how many of each status, and the latest changes, the last one at the bottom. */
export function liveLines(claims: readonly Claim[], state: LiveState, colors: Colors): string[] {
  const counts = new Map<string, number>();
  for (const { assignment } of claims)
    counts.set(assignment.status, (counts.get(assignment.status) ?? 0) + 1);
  const figures = [...counts].map(([status, count]) => `${count} ${visible(status)}`).join(', ');
  const checked =
    state.askedAt === null
      ? 'not asked yet'
      : `asked at ${new Date(state.askedAt).toISOString().slice(11, 19)} UTC`;
  const foot = state.trouble === null ? checked : `${checked}; ${visible(state.trouble)}`;
  const fitting = claims.slice(-Math.max(1, state.rows - 5));
  const hidden = claims.length - fitting.length;
  const head = `${figures === '' ? 'no changes yet' : figures}${hidden > 0 ? `; the latest ${fitting.length} of them` : ''}`;
  // Cut before it is painted, since what is not seen takes no room: a line that wraps would spoil the next drawing.
  const plain =
    fitting.length === 0
      ? []
      : table(fitting.map(claimRow), PLAIN).map((line) => line.slice(0, state.columns - 1));
  const painted = plain.map((line, i) =>
    i === 0 ? colors.bold(line) : paintWord(line, fitting[i - 1], colors),
  );
  return [
    head.slice(0, state.columns - 1),
    ...painted,
    (state.trouble === null ? colors.dim : colors.yellow)(foot.slice(0, state.columns - 1)),
  ];
}

const PLAIN = colorsFor({ write() {} }, {});

function paintWord(line: string, claim: Claim | undefined, colors: Colors): string {
  const status = visible(claim?.assignment.status);
  const at = line.indexOf(status);
  if (at < 0) return line;
  const paint = {
    accepted: colors.green,
    rejected: colors.red,
    unassigned: colors.red,
    pending_acceptance: colors.yellow,
  }[status];
  return paint === undefined ? line : `${line.slice(0, at)}${paint(status)}${line.slice(at + status.length)}`;
}

async function readState(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`${path} cannot be read: ${error.code}`);
  });
}

/** Beside it first, so that there is a whole position at any moment. */
async function writeState(path: string, position: string): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, position, { mode: 0o600 });
  await rename(draft, path);
}
