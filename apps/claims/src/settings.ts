import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, UsageError } from './environment.ts';
import { textFile } from './input.ts';
import { parseJson } from './json.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

const configFolder = ({ env, home }: Environment): string =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'claims');

export async function urlFrom({ url }: ConnectionOptions, environment: Environment): Promise<string> {
  const { env } = environment;
  if (url !== undefined) return checkedUrl(url, '--url');
  if (env.CLAIMS_URL) return checkedUrl(env.CLAIMS_URL, 'CLAIMS_URL');
  const path = join(configFolder(environment), 'config.json');
  try {
    // The key is sent to this URL, so nobody else may change it.
    return configuredUrl(await readPrivateFile(path, 'config file', 0o022), path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new UsageError(
      `no base URL: pass --url, set CLAIMS_URL, or write {"url": "https://claims.example.com"} to ${path}`,
    );
  }
}

function configuredUrl(text: string, path: string): string {
  const config = parseJson(text);
  if (config === undefined) throw new UsageError(`the config file ${path} is not JSON`);
  const fields = Object.entries(Object(config));
  const [name, url] = fields[0] ?? [];
  if (fields.length === 1 && name === 'url' && typeof url === 'string')
    return checkedUrl(url, `url in ${path}`);
  throw new UsageError(
    `the config file ${path} must be an object with url only, such as {"url": "https://claims.example.com"}`,
  );
}

function checkedUrl(url: string, source: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UsageError(`${source} must be an http or https URL, not ${JSON.stringify(url)}`);
}

const isMissing = (error: unknown): boolean =>
  error instanceof UsageError && (error.cause as NodeJS.ErrnoException)?.code === 'ENOENT';

/** From a file or the environment, never from an argument: arguments are visible in process lists. */
export async function keyFrom({ keyFile }: ConnectionOptions, environment: Environment): Promise<string> {
  const { env } = environment;
  if (keyFile !== undefined) return checkedKey(await readKeyFile(keyFile), keyFile);
  if (env.CLAIMS_API_KEY) return checkedKey(env.CLAIMS_API_KEY, 'CLAIMS_API_KEY');
  const defaultPath = join(configFolder(environment), 'key');
  try {
    return checkedKey(await readKeyFile(defaultPath), defaultPath);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new UsageError(
      `no key: set CLAIMS_API_KEY, or save the key in ${defaultPath} or another file (--key-file) that only you can read`,
    );
  }
}

const readKeyFile = (path: string): Promise<string> => readPrivateFile(path, 'key file', 0o077);

/** Rejects a file whose mode has one of the bits in `forbidden`. */
async function readPrivateFile(path: string, what: string, forbidden: number): Promise<string> {
  // Checked and read through one handle, since the file at this path may be replaced in between.
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`the ${what} ${path} cannot be read: ${cause.code}`, { cause });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new UsageError(`the ${what} ${path} is not a file`);
    // Windows has no mode bits.
    if (process.platform !== 'win32' && (stat.mode & forbidden) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
      throw new UsageError(
        `the ${what} ${path} has mode ${mode}, so other users can ${forbidden === 0o077 ? 'access' : 'change'} it; run chmod 600 ${path}`,
      );
    }
    if (stat.size > 4096) throw new UsageError(`the ${what} ${path} is too large`);
    return textFile(await file.readFile(), path).text;
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
