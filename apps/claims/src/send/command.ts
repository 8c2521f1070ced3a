import { readFile } from 'node:fs/promises';
import type { Client } from '@svc/client';
import { ClaimsApiError } from '@svc/client';
import { type Environment, UsageError } from '../environment.ts';
import { failureLines } from '../failure.ts';
import { colorsFor, jsonLine, visible } from '../output.ts';
import { openJournal } from './journal.ts';
import { createProgress } from './progress.ts';
import { readClaims } from './read-claims.ts';
import { type Outcome, sendClaims } from './send-claims.ts';

interface SendArguments {
  readonly file: string;
  readonly url: string;
  readonly concurrency: number;
  readonly journal: boolean;
  readonly json: boolean;
}

/** Whether everything in the input has been sent, now or before. */
export async function send(client: Client, wanted: SendArguments, around: Environment): Promise<boolean> {
  const { stdout, stderr, signal, env } = around;
  const fromStdin = wanted.file === '-';
  if (fromStdin && wanted.journal)
    throw new UsageError('--journal keeps a file beside the input; standard input has none');
  const lines = readClaims(fromStdin ? await collect(around.stdin) : await readInput(wanted.file));
  if (lines.length === 0)
    throw new UsageError(`${fromStdin ? 'standard input' : wanted.file} holds no claim`);
  const journal = wanted.journal
    ? await openJournal(`${wanted.file}.journal`, await accountOf(client, wanted.url, signal))
    : undefined;

  const counts: Record<Outcome['outcome'], number> = { sent: 0, already_sent: 0, failed: 0, not_sent: 0 };
  const progress = createProgress(stderr, lines.length, colorsFor(stderr, env));
  const done = () => counts.sent + counts.already_sent + counts.failed;
  let throttled = false;
  const onRetry = ({ error, delayMs }: { error: unknown; delayMs: number }) => {
    const why = error instanceof ClaimsApiError ? (error.code ?? `status ${error.status}`) : 'no answer';
    if (error instanceof ClaimsApiError && error.status === 429 && !throttled) {
      throttled = true;
      // The bar says it each time; a log, once.
      if (!stderr.isTTY) stderr.write(`${why}: sending goes on as fast as the service allows\n`);
    }
    progress.show(done(), counts.failed, `${why}, again in ${Math.ceil(delayMs / 1000)} s`);
  };

  const colors = colorsFor(stdout, env);
  progress.show(0, 0);
  for await (const outcome of sendClaims(client, lines, { ...wanted, journal, signal, onRetry })) {
    counts[outcome.outcome] += 1;
    const worthALine = outcome.outcome === 'failed' || !stderr.isTTY || !stdout.isTTY;
    if (worthALine && (wanted.json || outcome.outcome !== 'not_sent')) {
      progress.hide();
      stdout.write(wanted.json ? jsonLine(outcome) : outcomeLines(outcome, colors));
    }
    progress.show(done(), counts.failed);
  }
  progress.hide();
  const summary = [
    `${counts.sent} sent`,
    counts.already_sent > 0 && `${counts.already_sent} already sent before`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.not_sent > 0 && `${counts.not_sent} not sent; run the same command again for the rest`,
  ].filter(Boolean);
  (wanted.json ? stderr : stdout).write(`${summary.join(', ')}\n`);
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
): string {
  const paint = outcome === 'failed' ? colors.red : outcome === 'sent' ? colors.green : colors.dim;
  const head = `line ${line}  ${paint(LABELS[outcome].padEnd(12))}  ${visible(external_id)}`;
  if (error === undefined) return `${head}  ${visible(id)}\n`;
  return `${head}\n${failureLines(error)
    .map((text) => `  ${text}\n`)
    .join('')}`;
}

/** Firm, environment and service: what tells one place that claims are sent to from another. */
async function accountOf(client: Client, url: string, signal: AbortSignal): Promise<string> {
  const { firm, key } = await client.me({ signal });
  return `${firm.id} ${key.environment} ${new URL(url).href}`;
}

async function readInput(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code}`);
  });
}

async function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}
