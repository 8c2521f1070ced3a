import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { AppReads, Clock, CredentialStore } from '@svc/application';
import type { Svcid } from '@svc/domain';

const POLL_INTERVAL_MS = 2000;
/** Shutdown is checked more often than the database, so that it does not wait for a poll. */
const TICKS_PER_POLL = 8;
/** A stream ends within a second of its session: after half a second and a query. */
const TICKS_PER_SESSION_CHECK = 2;
const HEARTBEAT_INTERVAL_MS = 20_000;
/** One adjuster's phone, tablet and a few tabs; beyond that the oldest stream is closed. */
const MAX_STREAMS_PER_ADJUSTER = 8;
/** A client that leaves this much unread is considered gone. */
const MAX_UNSENT_BYTES = 4096;

export interface LiveUpdates {
  /** Sends events to this reader until the connection closes. */
  subscribe(reader: LiveUpdateSubscriber): void;
}

export interface LiveUpdateSubscriber {
  readonly svcId: Svcid;
  readonly response: ServerResponse;
  /** The last event id the reader received, if any. */
  readonly seen: string | null;
  /** Of its session, with which it ends. */
  readonly tokenHash: string;
}

/**
 * Notifies open apps of changes by server-sent events; the app then reads what changed. One database query every two
 * seconds serves all connections of this process, so processes need no coordination.
 */
export function createLiveUpdates(deps: {
  readonly appReads: Pick<AppReads, 'revisions'>;
  readonly credentials: Pick<CredentialStore, 'openSessions'>;
  readonly clock: Clock;
  readonly isDraining: () => boolean;
}): LiveUpdates {
  const streams = new Map<Svcid, Set<Stream>>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let ticks = 0;

  const allStreams = (): Stream[] => [...streams.values()].flatMap((own) => [...own]);

  const poll = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    try {
      const revisions = await deps.appReads.revisions([...streams.keys()]);
      for (const stream of allStreams()) stream.update(revisions.get(stream.svcId));
    } catch {
      // The database is unavailable. The app falls back to polling, which reports the error.
    } finally {
      polling = false;
    }
  };

  let checking = false;
  const endStreamsOfEndedSessions = async (): Promise<void> => {
    if (checking) return;
    checking = true;
    try {
      const checked = allStreams();
      const hashes = [...new Set(checked.map(({ tokenHash }) => tokenHash))];
      const open = await deps.credentials.openSessions(hashes, deps.clock.now());
      for (const stream of checked) if (!open.has(stream.tokenHash)) stream.signOut();
    } catch {
      // The database is unavailable; the next check is due in half a second.
    } finally {
      checking = false;
    }
  };

  const tick = (): void => {
    if (streams.size === 0) {
      clearInterval(timer);
      timer = undefined;
    } else if (deps.isDraining()) {
      // Streams have no end, so shutdown closes them; the app reconnects to another process.
      for (const stream of allStreams()) stream.end();
    } else {
      ticks += 1;
      if (ticks % TICKS_PER_POLL === 0) void poll();
      if (ticks % TICKS_PER_SESSION_CHECK === 0) void endStreamsOfEndedSessions();
    }
  };

  return {
    subscribe(reader) {
      // The connection failed while its session was read: no `close` would remove the stream.
      if (reader.response.closed || reader.response.headersSent) return;
      const own = streams.get(reader.svcId) ?? new Set();
      streams.set(reader.svcId, own);
      const stream = createStream(reader, () => {
        own.delete(stream);
        if (own.size === 0 && streams.get(reader.svcId) === own) streams.delete(reader.svcId);
      });
      own.add(stream);
      const [oldest] = own;
      if (own.size > MAX_STREAMS_PER_ADJUSTER) oldest?.end();
      timer ??= setInterval(tick, POLL_INTERVAL_MS / TICKS_PER_POLL).unref();
      void poll();
    },
  };
}

/** A short event id that does not reveal firm ids. */
const digest = (revision: string): string =>
  createHash('sha256').update(revision).digest('base64url').slice(0, 16);

interface Stream {
  readonly svcId: Svcid;
  readonly tokenHash: string;
  /** Sends an event if the revision has changed. */
  update(revision: string | undefined): void;
  end(): void;
  /** Tells the app that its session has ended, and ends. */
  signOut(): void;
}

function createStream({ svcId, response, seen, tokenHash }: LiveUpdateSubscriber, onEnd: () => void): Stream {
  let lastEventId = seen;
  const end = (): void => {
    // At once: the connection closes later, and others may be opened before.
    onEnd();
    response.end();
  };
  const write = (text: string): void => {
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
    else if (!response.writableEnded) response.write(text);
  };
  response.statusCode = 200;
  response.setHeader('Content-Type', 'text/event-stream');
  // Turns off response buffering in proxies such as nginx.
  response.setHeader('X-Accel-Buffering', 'no');
  response.write('retry: 3000\n\n');
  const heartbeat = setInterval(() => {
    // An event, not a comment, so that the app can detect a dead connection.
    write('event: here\ndata: \n\n');
  }, HEARTBEAT_INTERVAL_MS).unref();
  response.once('close', () => {
    clearInterval(heartbeat);
    onEnd();
  });
  return {
    svcId,
    tokenHash,
    signOut() {
      write('event: signed-out\ndata: \n\n');
      end();
    },
    update(revision) {
      if (revision === undefined) return;
      const eventId = digest(revision);
      if (eventId === lastEventId) return;
      lastEventId = eventId;
      write(`event: changed\nid: ${eventId}\ndata: \n\n`);
    },
    end,
  };
}
