import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Clock, type CredentialStore, Unavailable } from '@svc/application';
import type { StaffRole } from '@svc/domain';
import type { StreamLimit } from './limits/stream-limit.ts';
import { EVENT_STREAM } from './request-log.ts';

const POLL_INTERVAL_MS = 1000;
/** Shutdown is checked more often than the database, so that it does not wait for a poll. */
const TICKS_PER_POLL = 4;
/** A stream ends within a second of its session: after half a second and a query. */
const TICKS_PER_SESSION_CHECK = 2;
const HEARTBEAT_INTERVAL_MS = 20_000;
/** One person's phone, tablet and a few tabs; beyond that the oldest stream is closed, and its page polls. */
const MAX_STREAMS_PER_ACCOUNT = 8;
/** A client that leaves this much unread is considered gone. */
const MAX_UNSENT_BYTES = 4096;

export interface LiveUpdates<Topic extends string> {
  /**
   * Sends events to this reader until the connection closes.
   *
   * @throws Unavailable if too many streams are open. The page then polls.
   */
  subscribe(reader: LiveUpdateSubscriber<Topic>): void;
}

export interface LiveUpdateSubscriber<Topic extends string> {
  /** Whose streams are counted. */
  readonly account: string;
  /** What has the revision: the adjuster, or the firm of a staff member. */
  readonly topic: Topic;
  readonly response: ServerResponse;
  /** The last event id the reader received, if any. */
  readonly seen: string | null;
  /** Of its session, with which it ends. */
  readonly tokenHash: string;
  /** Of a staff member: with another role, the reader has to ask again. */
  readonly role: StaffRole | null;
}

/**
 * Notifies open pages of changes by server-sent events; the page then reads what changed. One database query a
 * second serves all connections of this process, so processes need no coordination.
 */
export function createLiveUpdates<Topic extends string>(
  reads: { revisions(topics: readonly Topic[]): Promise<ReadonlyMap<Topic, string>> },
  deps: {
    readonly credentials: Pick<CredentialStore, 'openSessions'>;
    readonly clock: Clock;
    readonly streamLimit: StreamLimit;
    readonly isDraining: () => boolean;
  },
): LiveUpdates<Topic> {
  const streams = new Map<string, Set<Stream<Topic>>>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let ticks = 0;

  const allStreams = (): Stream<Topic>[] => [...streams.values()].flatMap((own) => [...own]);

  const poll = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    try {
      const topics = new Set(allStreams().map(({ topic }) => topic));
      const revisions = await reads.revisions([...topics]);
      for (const stream of allStreams()) stream.update(revisions.get(stream.topic));
    } catch {
      // The database is unavailable. The page falls back to polling, which reports the error.
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
      for (const stream of checked) {
        const session = open.get(stream.tokenHash);
        if (session === undefined) stream.signOut();
        // Of another role, or of another firm.
        else if (
          (session?.role ?? null) !== stream.role ||
          (session?.staffId ?? stream.account) !== stream.account
        )
          stream.end();
      }
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
      // Streams have no end, so shutdown closes them; the page reconnects to another process.
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
      if (!deps.streamLimit.add())
        throw new Unavailable('As many streams are open as this process can have.', 'overload');
      const own = streams.get(reader.account) ?? new Set();
      streams.set(reader.account, own);
      const stream = createStream(reader, () => {
        if (own.delete(stream)) deps.streamLimit.remove();
        if (own.size === 0 && streams.get(reader.account) === own) streams.delete(reader.account);
      });
      own.add(stream);
      const [oldest] = own;
      if (own.size > MAX_STREAMS_PER_ACCOUNT) oldest?.replace();
      timer ??= setInterval(tick, POLL_INTERVAL_MS / TICKS_PER_POLL).unref();
      void poll();
    },
  };
}

/** A short event id that does not reveal firm ids. */
const digest = (revision: string): string =>
  createHash('sha256').update(revision).digest('base64url').slice(0, 16);

interface Stream<Topic extends string> {
  readonly topic: Topic;
  readonly account: string;
  readonly tokenHash: string;
  readonly role: StaffRole | null;
  /** Sends an event if the revision has changed. */
  update(revision: string | undefined): void;
  end(): void;
  /** Tells the page that its session has ended, and ends. */
  signOut(): void;
  /** Ends, so that the page does not open it again at once: it would end the next one. */
  replace(): void;
}

function createStream<Topic extends string>(
  { account, topic, response, seen, tokenHash, role }: LiveUpdateSubscriber<Topic>,
  onEnd: () => void,
): Stream<Topic> {
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
  response.setHeader('Content-Type', EVENT_STREAM);
  // Turns off response buffering in proxies such as nginx.
  response.setHeader('X-Accel-Buffering', 'no');
  response.write('retry: 3000\n\n');
  const heartbeat = setInterval(() => {
    // An event, not a comment, so that the page can detect a dead connection.
    write('event: here\ndata: \n\n');
  }, HEARTBEAT_INTERVAL_MS).unref();
  response.once('close', () => {
    clearInterval(heartbeat);
    onEnd();
  });
  return {
    account,
    topic,
    tokenHash,
    role,
    signOut() {
      write('event: signed-out\ndata: \n\n');
      end();
    },
    replace() {
      write('event: replaced\ndata: \n\n');
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
