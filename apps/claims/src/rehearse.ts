import { writeFile } from 'node:fs/promises';
import type { Client, Readiness } from '@svc/client';
import { rehearse as runRehearsal, UnfitKeyError } from '@svc/sandbox';
import { type Environment, UsageError } from './environment.ts';
import { type Colors, colorsFor, jsonDocument, sanitized } from './output.ts';

interface RehearseOptions {
  readonly url: string;
  /** Where the claims are written to; a new file of this run by default. */
  readonly file: string | undefined;
  readonly claims: number;
  /** From the first claim on. */
  readonly durationMs: number;
  readonly json: boolean;
}

/** @returns whether every check passed. */
export async function rehearse(
  client: Client,
  options: RehearseOptions,
  environment: Environment,
): Promise<boolean> {
  const { signal, now, stderr } = environment;
  const { claims, durationMs } = options;
  const onStep = (text: string): void => {
    if (!options.json) stderr.write(`${new Date(now()).toISOString().slice(11, 19)}  ${sanitized(text)}\n`);
  };
  const onClaims = async (lines: string, run: string): Promise<void> => {
    const file = options.file ?? `rehearsal-${run}.jsonl`;
    await writeFile(file, lines, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${file} cannot be written: ${error.code}; name a new file`);
    });
    onStep(`${claims} claims are in ${file}: let your system send them with this key, and poll`);
  };
  const since = await runRehearsal(client, { claims, durationMs, signal, now, onClaims, onStep }).catch(
    (error: unknown) => {
      throw error instanceof UnfitKeyError ? new UsageError(error.message) : error;
    },
  );
  return showReadiness(client, { ...options, since }, environment);
}

const MARKS: Readonly<Record<string, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  not_exercised: 'not yet',
};

/** Returns whether every check passed. */
export async function showReadiness(
  client: Client,
  { url, json, since }: { readonly url: string; readonly json: boolean; readonly since: string },
  { stdout, signal, env }: Environment,
): Promise<boolean> {
  const readiness = await client.sandbox.checkReadiness({ since, signal });
  const page = `${url.replace(/\/+$/, '')}/firm#/readiness/${since}`;
  stdout.write(
    json ? jsonDocument({ ...readiness, page }) : `${textOf(readiness, colorsFor(stdout, env))}\n${page}\n`,
  );
  return readiness.ready;
}

function textOf({ checks, requests, ready, complete }: Readiness, colors: Colors): string {
  const lines = checks.flatMap(({ state, title, change, exercise, finding_count, findings }) => {
    const color = state === 'passed' ? colors.green : state === 'failed' ? colors.red : colors.yellow;
    const latest = findings.slice(-3).map(({ detail, requests: shown }) => {
      const ids = shown.map(({ request_id }) => request_id).join(', ');
      return `         ${sanitized(detail)} ${colors.dim(ids === '' ? 'no request' : `requests ${sanitized(ids)}`)}`;
    });
    return [
      `${color((MARKS[state] ?? state).padEnd(7))}  ${title}`,
      ...latest,
      ...(state === 'failed' ? [`         ${finding_count} in all. ${change}`] : []),
      ...(state === 'not_exercised' ? [`         ${exercise}`] : []),
    ];
  });
  const verdict = ready ? 'ready' : 'not ready yet';
  const left = ready || complete ? '' : '; some requests or claims were not: choose a later --since';
  return [...lines, `${requests} requests were checked: ${verdict}${left}`].join('\n');
}
