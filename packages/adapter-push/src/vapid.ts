import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import webPush from 'web-push';

/** Who the service is to push services (RFC 8292): browsers subscribe with the public key. */
export interface Vapid {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `mailto:` or `https:`; where a push service complains. */
  readonly subject: string;
}

const FILE = 'vapid.json';
const DEFAULT_SUBJECT = 'mailto:operator@localhost.localdomain';

/**
 * The keys of this installation, made once and kept under DATA_DIR. Every subscription is bound to them, so they must
 * outlive the process; several machines need keys in the environment instead. The folder has to be there.
 */
export function vapidUnder(dataDir: string): Vapid {
  const path = join(dataDir, FILE);
  const held = read(path);
  if (held !== null) return held;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ ...webPush.generateVAPIDKeys(), subject: DEFAULT_SUBJECT }), {
    mode: 0o600,
  });
  try {
    // A link fails where a file is: of two processes that start at once, one wins and both read the same.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = read(path);
  if (made === null) throw new Error(`${path} cannot be read although it was just written`);
  return made;
}

function read(path: string): Vapid | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Vapid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(
      `${path} holds no VAPID keys; remove it to make new ones (devices have to subscribe again)`,
    );
  }
}
