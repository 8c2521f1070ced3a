import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { type Client, createClient } from '@svc/client';
import { Command, InvalidArgumentError } from 'commander';
import { exitCode, importClaims, type Tally } from './import-claims.ts';
import { readFile, UnreadableFile } from './read-rows.ts';
import { jsonReport, textReport } from './report.ts';

interface Flags {
  readonly url?: string;
  readonly adjuster?: string;
  readonly keyFile?: string;
  readonly concurrency: number;
  readonly dryRun?: true;
  readonly json?: true;
  readonly allowSkips?: true;
}

class WrongUse extends Error {}

interface Output {
  write(text: string): unknown;
}

/** Progress on standard error, once for this many rows. */
const PROGRESS_ROWS = 1000;

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly folder: string;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls the listener when the user interrupts the run. */
  onInterrupt(listener: () => void): void;
}

/** Runs the command and returns its exit code. */
export async function openfema(args: readonly string[], host: Host): Promise<number> {
  let code = 0;
  const program = new Command('openfema')
    .description("Sends the claims of an OpenFEMA NFIP claims file to the service's POST /v1/claims.")
    .argument('<file>', 'the CSV file, or - for standard input')
    .option('--url <url>', 'base URL of the service (default: CLAIMS_URL)')
    .option('--adjuster <svcid>', 'SVCID of the adjuster to offer the claims to')
    .option('--key-file <file>', 'file with the API key (default: CLAIMS_API_KEY)')
    .option('--concurrency <n>', 'concurrent requests', atLeastOne, 4)
    .option('--dry-run', 'validate every claim and send none')
    .option('--json', 'print JSON lines; with --dry-run also the claims')
    .option('--allow-skips', 'exit with 0 even if rows were skipped')
    .addHelpText(
      'after',
      '\nExit codes: 0 all rows are claims, 1 some are not (skipped or failed), 2 the run stopped early.',
    )
    .action(async (path: string, flags: Flags) => {
      code = await run(path, flags, host);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof WrongUse) && !(error instanceof UnreadableFile)) throw error;
    host.stderr.write(`${error.message}\n`);
    return 2;
  }
}

async function run(path: string, flags: Flags, host: Host): Promise<number> {
  const dryRun = flags.dryRun === true;
  const input = path === '-' ? host.stdin : open(resolve(host.folder, path));
  const adjuster =
    flags.adjuster ??
    (dryRun ? 'SVC-DRY-RUN' : wrong('--adjuster is missing: the SVCID to offer the claims to.'));
  const client = dryRun ? null : clientOf(flags, host);

  const write = (line: string): void => {
    host.stdout.write(`${line}\n`);
  };
  const report = flags.json ? jsonReport(write, { bodies: dryRun }) : textReport(write);
  const interrupted = new AbortController();
  host.onInterrupt(() => {
    host.stderr.write('Finishing open requests; interrupt again to stop immediately.\n');
    interrupted.abort();
  });

  const startedAt = Date.now();
  const file = await readFile(input);
  report.header(file.header);
  const tally = await importClaims(
    file,
    { adjuster, concurrency: flags.concurrency, client, signal: interrupted.signal },
    {
      ...report,
      counted({ rows, sent, existing }: Tally) {
        if (rows % PROGRESS_ROWS === 0)
          host.stderr.write(`${rows} rows, ${sent} sent, ${existing} existing\n`);
      },
    },
  );
  report.summary(tally, { seconds: (Date.now() - startedAt) / 1000, dryRun });
  return interrupted.signal.aborted ? 130 : exitCode(tally, flags.allowSkips === true);
}

function open(path: string): Readable {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return wrong(`File not found: ${path}`);
  return createReadStream(path);
}

function clientOf(flags: Flags, host: Host): Client {
  const baseUrl = flags.url ?? (host.env.CLAIMS_URL || wrong('Set CLAIMS_URL or use --url.'));
  const apiKey = keyOf(flags, host);
  try {
    // Without a deadline: with a test key, a file takes longer than five minutes.
    return createClient({ baseUrl, apiKey, deadlineMs: 0, maxRetries: 8, userAgent: 'openfema' });
  } catch (error) {
    return wrong((error as Error).message);
  }
}

/** Not an argument, because other users can read process arguments. */
function keyOf({ keyFile }: Flags, { env, folder }: Host): string {
  const key = keyFile === undefined ? env.CLAIMS_API_KEY : contentOf(resolve(folder, keyFile));
  return key?.trim() || wrong('Set CLAIMS_API_KEY or use --key-file.');
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return wrong(`The key file cannot be read: ${(error as Error).message}`);
  }
}

function atLeastOne(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('Must be an integer of at least 1.');
  return number;
}

function wrong(message: string): never {
  throw new WrongUse(message);
}
