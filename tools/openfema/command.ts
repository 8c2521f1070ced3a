import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { Command, InvalidArgumentError } from 'commander';
import { exitCode, importClaims } from './import-claims.ts';
import { makeProgress, type Output } from './progress.ts';
import { readFile, UnreadableFile } from './read-rows.ts';
import { jsonReport, textReport } from './report.ts';
import { makeSender } from './send-claim.ts';

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
      '\nExit codes: 0 all rows are claims, 1 some are not (skipped, rejected, not delivered), 2 the run stopped early.',
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
  const { input, size, bytesRead } = open(path, host);
  const progress = makeProgress({
    stream: host.stderr,
    share: () => (size === null || size === 0 ? null : Math.min(1, bytesRead() / size)),
  });
  const send = dryRun ? null : sender(flags, host, progress.waiting);
  const adjuster =
    flags.adjuster ??
    (dryRun ? 'SVC-DRY-RUN' : wrong('--adjuster is missing: the SVCID to offer the claims to.'));

  const write = (line: string): void => {
    progress.clear();
    host.stdout.write(`${line}\n`);
  };
  const report = flags.json ? jsonReport(write, { bodies: dryRun }) : textReport(write);
  const interrupted = new AbortController();
  host.onInterrupt(() => {
    progress.clear();
    host.stderr.write('Finishing open requests; interrupt again to stop immediately.\n');
    interrupted.abort();
  });

  const startedAt = Date.now();
  const file = await readFile(input);
  report.header(file.header);
  const tally = await importClaims(
    file,
    { adjuster, concurrency: flags.concurrency, send, signal: interrupted.signal },
    { ...report, counted: progress.counted },
  );
  progress.clear();
  report.summary(tally, { seconds: (Date.now() - startedAt) / 1000, dryRun });
  return interrupted.signal.aborted ? 130 : exitCode(tally, flags.allowSkips === true);
}

function open(
  path: string,
  { folder, stdin }: Host,
): { input: Readable; size: number | null; bytesRead: () => number } {
  if (path === '-') return { input: stdin, size: null, bytesRead: () => 0 };
  const full = resolve(folder, path);
  const stats = statSync(full, { throwIfNoEntry: false });
  if (!stats?.isFile()) return wrong(`File not found: ${full}`);
  const input = createReadStream(full);
  return { input, size: stats.size, bytesRead: () => input.bytesRead };
}

function sender(flags: Flags, host: Host, onWait: (milliseconds: number, reason: string) => void) {
  const url = flags.url ?? (host.env.CLAIMS_URL || wrong('Set CLAIMS_URL or use --url.'));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return wrong(`Not an http or https URL: ${url}`);
  return makeSender({ url, key: keyOf(flags, host), onWait });
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
