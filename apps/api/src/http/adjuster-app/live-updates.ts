import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AppReads } from '@svc/application';
import type { Svcid } from '@svc/domain';

const LOOK_EVERY_MS = 2000;
/** Looked for between two looks, so that nobody who stops the process waits for one. */
const TICKS_A_LOOK = 8;
const BEAT_EVERY_MS = 20_000;
/** One adjuster's phone, tablet and a few tabs; more is a page that went astray. */
const STREAMS_EACH = 8;

export interface LiveUpdates {
  /** Tells this reader from now on, until the connection ends. */
  open(reader: Reader): void;
}

export interface Reader {
  readonly svcId: Svcid;
  readonly response: ServerResponse;
  /** The edition the reader has seen; null when it has seen none. */
  readonly seen: string | null;
  /** Whether its session still holds. */
  isSignedIn(): Promise<boolean>;
}

/**
 * Tells open pages that there is something new, as server-sent events. One look at the database every other second
 * serves everybody who is connected to this process, so that any number of processes may share the adjusters without
 * knowing of each other. What is new the page reads for itself.
 */
export function createLiveUpdates(deps: {
  readonly reads: Pick<AppReads, 'revisions'>;
  readonly isDraining: () => boolean;
}): LiveUpdates {
  const streams = new Map<Svcid, Set<Stream>>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let ticks = 0;

  const all = (): Stream[] => [...streams.values()].flatMap((own) => [...own]);

  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      const editions = await deps.reads.revisions([...streams.keys()]);
      for (const stream of all()) stream.tell(editions.get(stream.svcId));
    } catch {
      // The database is away: the page falls back to asking, and is told why there.
    } finally {
      looking = false;
    }
  };

  const tick = (): void => {
    if (streams.size === 0) {
      clearInterval(timer);
      timer = undefined;
    } else if (deps.isDraining()) {
      // A stream never ends by itself, and its page finds another process.
      for (const stream of all()) stream.end();
    } else {
      ticks += 1;
      if (ticks % TICKS_A_LOOK === 0) void look();
    }
  };

  return {
    open(reader) {
      const own = streams.get(reader.svcId) ?? new Set();
      streams.set(reader.svcId, own);
      const stream = createStream(reader, () => {
        own.delete(stream);
        if (own.size === 0 && streams.get(reader.svcId) === own) streams.delete(reader.svcId);
      });
      own.add(stream);
      const [oldest] = own;
      if (own.size > STREAMS_EACH) oldest?.end();
      timer ??= setInterval(tick, LOOK_EVERY_MS / TICKS_A_LOOK).unref();
      void look();
    },
  };
}

/** Short enough to travel with each event; nobody learns a firm's id from it. */
const digest = (edition: string): string =>
  createHash('sha256').update(edition).digest('base64url').slice(0, 16);

interface Stream {
  readonly svcId: Svcid;
  tell(edition: string | undefined): void;
  end(): void;
}

function createStream({ svcId, response, seen, isSignedIn }: Reader, closed: () => void): Stream {
  let known = seen;
  const end = (): void => {
    response.end();
  };
  const write = (text: string): void => {
    // A reader that takes nothing any more has gone, and the connection does not know it yet.
    if (response.writableLength > 4096) response.destroy();
    else if (!response.writableEnded) response.write(text);
  };
  response.statusCode = 200;
  response.setHeader('Content-Type', 'text/event-stream');
  // A proxy that collects an answer before it passes it on would collect this one for ever.
  response.setHeader('X-Accel-Buffering', 'no');
  response.write('retry: 3000\n\n');
  const beat = setInterval(async () => {
    const holds = await isSignedIn().catch(() => true);
    // An event and no comment: the page is to know as well that the connection is alive.
    if (holds) return write('event: here\ndata: \n\n');
    write('event: signed-out\ndata: \n\n');
    end();
  }, BEAT_EVERY_MS).unref();
  response.once('close', () => {
    clearInterval(beat);
    closed();
  });
  return {
    svcId,
    tell(edition) {
      if (edition === undefined) return;
      const next = digest(edition);
      if (next === known) return;
      known = next;
      write(`event: changed\nid: ${next}\ndata: \n\n`);
    },
    end,
  };
}
