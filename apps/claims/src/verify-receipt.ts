import { type ReceiptContent, ReceiptError, type ReceiptKeySet, verifyReceipt } from '@svc/client';
import { type Environment, UsageError } from './environment.ts';
import { readInput, textFile } from './input.ts';
import { parseJson } from './json.ts';
import { type ConnectionOptions, urlFrom } from './settings.ts';

/** Far above the length of a receipt, and of the keys of a service. */
const MAX_BYTES = 4 * 2 ** 20;

interface VerifyOptions extends ConnectionOptions {
  /** A file or URL. */
  readonly jwks?: string;
}

/** @throws ReceiptError if the receipt is not genuine. */
export async function verifyReceiptFile(
  path: string,
  options: VerifyOptions,
  environment: Environment,
): Promise<ReceiptContent> {
  const jwks = await jwksFrom(options, environment);
  const receipt = receiptIn(await readText(path, environment));
  return verifyReceipt(receipt, { jwks, fetch: environment.fetch, signal: environment.signal });
}

/** A file with the response of the API, or with the receipt alone. */
function receiptIn(text: string): string {
  if (!text.trimStart().startsWith('{')) return text;
  const { receipt } = Object(parseJson(text));
  if (typeof receipt === 'string') return receipt;
  throw new ReceiptError(
    'The file has no receipt: a JSON object with the member "receipt", or the receipt alone.',
  );
}

async function jwksFrom(options: VerifyOptions, environment: Environment): Promise<ReceiptKeySet | string> {
  const { jwks } = options;
  if (jwks === undefined)
    return `${(await urlFrom(options, environment)).replace(/\/+$/, '')}/.well-known/jwks.json`;
  if (/^https?:\/\//i.test(jwks)) return jwks;
  const saved = parseJson(await readText(jwks, environment)) as ReceiptKeySet | undefined;
  if (Array.isArray(saved?.keys)) return saved;
  throw new UsageError(
    `${jwks} must be a file as /.well-known/jwks.json: a JSON object with the array "keys"`,
  );
}

async function readText(path: string, environment: Environment): Promise<string> {
  const bytes = await readInput(path, environment);
  if (bytes.length > MAX_BYTES) throw new UsageError(`${path} is too large`);
  return textFile(bytes, path).text;
}
