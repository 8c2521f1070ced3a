import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, UsageError } from './environment.ts';

export interface Place {
  readonly url?: string;
  readonly keyFile?: string;
}

export function urlFrom({ url }: Place, { env }: Environment): string {
  const given = url ?? (env.CLAIMS_URL || undefined);
  if (given === undefined) {
    throw new UsageError('no address: set CLAIMS_URL, or use --url, such as https://claims.example.com');
  }
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    const source = url === undefined ? 'CLAIMS_URL' : '--url';
    throw new UsageError(`${source} holds ${JSON.stringify(given)}; allowed: an http or https address`);
  }
  return given;
}

/** From a file or the environment, never from an argument: arguments show in every list of processes. */
export async function keyFrom({ keyFile }: Place, { env, home }: Environment): Promise<string> {
  if (keyFile !== undefined) return checked(await readKeyFile(keyFile), keyFile);
  if (env.CLAIMS_API_KEY) return checked(env.CLAIMS_API_KEY, 'CLAIMS_API_KEY');
  const usual = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'claims', 'key');
  try {
    return checked(await readKeyFile(usual), usual);
  } catch (error) {
    if (!(error instanceof UsageError) || (error.cause as NodeJS.ErrnoException)?.code !== 'ENOENT')
      throw error;
    throw new UsageError(
      `no key: set CLAIMS_API_KEY, or put the key into ${usual} or another file (--key-file), readable by you alone`,
    );
  }
}

async function readKeyFile(path: string): Promise<string> {
  // Judged and read through one handle: the file at this path may be another one a moment later.
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`the key file ${path} cannot be read: ${cause.code}`, { cause });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new UsageError(`the key file ${path} is not a file`);
    // Windows tells no permissions here.
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
      throw new UsageError(
        `the key file ${path} has mode ${mode}: others than you could read or change it; run chmod 600 ${path}`,
      );
    }
    if (stat.size > 4096) throw new UsageError(`the key file ${path} holds more than a key`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** What is wrong is said without a word of what was found: it may be a key with a slip in it. */
function checked(found: string, source: string): string {
  const key = found.trim();
  if (/^[!-~]+$/.test(key)) return key;
  throw new UsageError(
    `${source} ${key === '' ? 'is empty' : 'does not hold a key: one word of printable ASCII characters'}`,
  );
}
