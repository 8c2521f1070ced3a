import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, UsageError } from './environment.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

export function urlFrom({ url }: ConnectionOptions, { env }: Environment): string {
  const given = url ?? (env.CLAIMS_URL || undefined);
  if (given === undefined) {
    throw new UsageError('no base URL: set CLAIMS_URL or pass --url, such as https://claims.example.com');
  }
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    const source = url === undefined ? 'CLAIMS_URL' : '--url';
    throw new UsageError(`${source} must be an http or https URL, not ${JSON.stringify(given)}`);
  }
  return given;
}

/** From a file or the environment, never from an argument: arguments are visible in process lists. */
export async function keyFrom({ keyFile }: ConnectionOptions, { env, home }: Environment): Promise<string> {
  if (keyFile !== undefined) return checkedKey(await readKeyFile(keyFile), keyFile);
  if (env.CLAIMS_API_KEY) return checkedKey(env.CLAIMS_API_KEY, 'CLAIMS_API_KEY');
  const defaultPath = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'claims', 'key');
  try {
    return checkedKey(await readKeyFile(defaultPath), defaultPath);
  } catch (error) {
    if (!(error instanceof UsageError) || (error.cause as NodeJS.ErrnoException)?.code !== 'ENOENT')
      throw error;
    throw new UsageError(
      `no key: set CLAIMS_API_KEY, or save the key in ${defaultPath} or another file (--key-file) that only you can read`,
    );
  }
}

async function readKeyFile(path: string): Promise<string> {
  // Checked and read through one handle, since the file at this path may be replaced in between.
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`the key file ${path} cannot be read: ${cause.code}`, { cause });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new UsageError(`the key file ${path} is not a file`);
    // Windows has no mode bits.
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
      throw new UsageError(
        `the key file ${path} has mode ${mode}, so other users can access it; run chmod 600 ${path}`,
      );
    }
    if (stat.size > 4096) throw new UsageError(`the key file ${path} is too large for a key`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** The error does not quote the value: it may be a key with a typo. */
function checkedKey(text: string, source: string): string {
  const key = text.trim();
  if (/^[!-~]+$/.test(key)) return key;
  throw new UsageError(
    `${source} ${key === '' ? 'is empty' : 'is not a key: a key is printable ASCII characters without spaces'}`,
  );
}
