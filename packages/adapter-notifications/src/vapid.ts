import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import webPush from 'web-push';

/** Identifies the service to push services (RFC 8292); browsers subscribe with the public key. */
export interface Vapid {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `mailto:` or `https:`; the contact for operators of push services. */
  readonly subject: string;
}

const FILE = 'vapid.json';
const DEFAULT_SUBJECT = 'mailto:operator@localhost.localdomain';

export const createVapidKeys = (): Pick<Vapid, 'publicKey' | 'privateKey'> => webPush.generateVAPIDKeys();

/**
 * The keys of this installation, generated once and kept in DATA_DIR, which must exist. Subscriptions are bound to them,
 * so they must outlive the process; several machines need the keys in the environment instead.
 */
export function vapidUnder(dataDir: string): Vapid {
  const path = join(dataDir, FILE);
  const existing = read(path);
  if (existing !== null) return existing;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ ...createVapidKeys(), subject: DEFAULT_SUBJECT }), {
    mode: 0o600,
  });
  try {
    // link(2) fails if the file exists: of two processes that start at once one wins, and both read its keys.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const created = read(path);
  if (created === null) throw new Error(`${path} cannot be read although it was just written`);
  return created;
}

function read(path: string): Vapid | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Vapid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(
      `${path} contains no VAPID keys; remove it to generate new ones (devices then have to subscribe again)`,
    );
  }
}
