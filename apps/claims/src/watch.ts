import { rename, writeFile } from 'node:fs/promises';
import type { Claim, Client } from '@svc/client';
import type { Environment } from './environment.ts';
import { readTextFile } from './input.ts';
import { jsonLine, sanitized } from './output.ts';

interface WatchOptions {
  readonly since: Date | undefined;
  readonly includeTest: boolean;
  readonly intervalMs: number;
  /** File with the position for the next run. */
  readonly state: string | undefined;
  readonly json: boolean;
}

const COLUMNS = {
  updated_at: ({ updated_at }: Claim) => updated_at,
  status: ({ assignment }: Claim) => assignment.status,
  external_id: ({ external_id }: Claim) => external_id,
  claim_number: ({ claim_number }: Claim) => claim_number,
  adjuster: ({ assignment }: Claim) => assignment.adjuster_svc_id,
  id: ({ id }: Claim) => id,
  reason: ({ assignment }: Claim) => assignment.rejection_reason,
};

/** Prints a line for each change until it is stopped; a tab separates the columns, for programs such as cut. */
export async function watch(
  client: Client,
  { since, includeTest, intervalMs, state, json }: WatchOptions,
  { stdout, stderr, signal }: Environment,
): Promise<void> {
  if (!json) stdout.write(`${Object.keys(COLUMNS).join('\t')}\n`);
  const changes = client.pollClaims({
    ...{ since, includeTest, intervalMs, signal },
    position: state === undefined ? undefined : (await readTextFile(state))?.text,
    onPosition: async (position) => {
      if (state !== undefined) await writeState(state, position);
    },
    onError: ({ message }) => void stderr.write(`claims: ${sanitized(message)}; watching continues\n`),
  });
  for await (const claim of changes) {
    const cells = Object.values(COLUMNS).map((cell) => sanitized(cell(claim)));
    stdout.write(json ? jsonLine(claim) : `${cells.join('\t')}\n`);
  }
}

/** Writes a temporary file and renames it, so that a crash cannot leave half a position. */
async function writeState(path: string, position: string): Promise<void> {
  const temporaryPath = `${path}.draft`;
  await writeFile(temporaryPath, position, { mode: 0o600 });
  await rename(temporaryPath, path);
}
