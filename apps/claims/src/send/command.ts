import { ClaimsApiError, type Client, type RetryEvent } from '@svc/client';
import { type Environment, UsageError } from '../environment.ts';
import { failureLines } from '../failure.ts';
import { readInput } from '../input.ts';
import { colorsFor, jsonLine, sanitized } from '../output.ts';
import { openJournal } from './journal.ts';
import { createPace, roundedDuration } from './pace.ts';
import { createProgress } from './progress.ts';
import { type Line, readClaims } from './read-claims.ts';
import { type Outcome, sendClaims } from './send-claims.ts';

/** Between two lines about the rate limit, where there is no progress bar. */
const REPORT_INTERVAL_MS = 60_000;

export interface SendLinesOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly url: string;
  readonly concurrency: number;
  readonly journal: boolean;
  readonly json: boolean;
  /** What the parts of the input are called. */
  readonly word?: 'line' | 'row';
}

/** Returns whether every claim in the input is sent, in this run or before. */
export async function send(
  client: Client,
  options: SendLinesOptions,
  environment: Environment,
): Promise<boolean> {
  return sendLines(client, readClaims(await readInput(options.file, environment)), options, environment);
}

/** As `send`, of lines that were read. */
export async function sendLines(
  client: Client,
  lines: readonly Line[],
  options: SendLinesOptions,
  environment: Environment,
): Promise<boolean> {
  const { stdout, stderr, signal, env } = environment;
  const fromStdin = options.file === '-';
  if (fromStdin && options.journal)
    throw new UsageError('--journal needs an input file; it cannot be used with standard input');
  if (lines.length === 0)
    throw new UsageError(`${fromStdin ? 'standard input' : options.file} contains no claim`);
  const journal = options.journal
    ? await openJournal(`${options.file}.journal`, await accountOf(client, options.url, signal))
    : undefined;

  const counts: Record<Outcome['outcome'], number> = { sent: 0, already_sent: 0, failed: 0, not_sent: 0 };
  const progress = createProgress(stderr, lines.length, colorsFor(stderr, env));
  const done = () => counts.sent + counts.already_sent + counts.failed;
  const pace = createPace(environment.now);
  let reportedAt = Number.NEGATIVE_INFINITY;
  const onRetry = ({ error, delayMs }: RetryEvent) => {
    const reason = error instanceof ClaimsApiError ? (error.code ?? `status ${error.status}`) : 'no response';
    const waits = `${reason}, retrying in ${roundedDuration(delayMs)}`;
    if (!(error instanceof ClaimsApiError) || error.status !== 429) {
      progress.show(done(), counts.failed, waits);
      return;
    }
    // Without a progress bar, a line now and then.
    if (!stderr.isTTY && !pace.isLimited) stderr.write(`${waits}; continuing at the rate limit of the key\n`);
    pace.onRateLimited(done());
    const estimate = pace.estimate(done(), lines.length);
    if (estimate === null) return progress.show(done(), counts.failed, waits);
    const remaining = `about ${roundedDuration(estimate.remainingMs)} left at the rate limit`;
    progress.show(done(), counts.failed, remaining);
    if (stderr.isTTY || environment.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = environment.now();
    stderr.write(`${done()} of ${lines.length} done, ${estimate.perMinute} per minute: ${remaining}\n`);
  };

  const colors = colorsFor(stdout, env);
  progress.show(0, 0);
  for await (const outcome of sendClaims(client, lines, { ...options, journal, signal, onRetry })) {
    counts[outcome.outcome] += 1;
    const isShown = outcome.outcome === 'failed' || !stderr.isTTY || !stdout.isTTY;
    if (options.json || (isShown && outcome.outcome !== 'not_sent')) {
      progress.hide();
      stdout.write(options.json ? jsonLine(outcome) : outcomeLines(outcome, colors, options.word));
    }
    progress.show(done(), counts.failed);
  }
  progress.hide();
  const summary = [
    `${counts.sent} sent`,
    counts.already_sent > 0 && `${counts.already_sent} already sent`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.not_sent > 0 && `${counts.not_sent} not sent; run the same command again to send the rest`,
  ].filter(Boolean);
  (options.json ? stderr : stdout).write(`${summary.join(', ')}\n`);
  return counts.failed === 0 && counts.not_sent === 0;
}

const LABELS = {
  sent: 'sent',
  already_sent: 'already sent',
  failed: 'failed',
  not_sent: 'not sent',
} as const;

function outcomeLines(
  { line, external_id, outcome, id, error }: Outcome,
  colors: ReturnType<typeof colorsFor>,
  word = 'line',
): string {
  const color = outcome === 'failed' ? colors.red : outcome === 'sent' ? colors.green : colors.dim;
  const head = `${word} ${line}  ${color(LABELS[outcome].padEnd(12))}  ${sanitized(external_id)}`;
  if (error === undefined) return `${head}  ${sanitized(id)}\n`;
  return `${head}\n${failureLines(error)
    .map((text) => `  ${text}\n`)
    .join('')}`;
}

/** Identifies the firm, environment and service that claims are sent to. */
async function accountOf(client: Client, url: string, signal: AbortSignal): Promise<string> {
  const { firm, key } = await client.me({ signal });
  return `${firm.id} ${key.environment} ${new URL(url).href}`;
}
