import type { Tally } from './import-claims.ts';

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface ProgressOptions {
  readonly stream: Output;
  /** The fraction of the file that has been read; null when its size is unknown. */
  readonly share: () => number | null;
  /** Without a terminal, one line per this many rows. */
  readonly everyRows?: number;
  readonly now?: () => number;
}

interface Progress {
  counted(tally: Tally): void;
  waiting(milliseconds: number, reason: string): void;
  /** Clears the line before other output. */
  clear(): void;
}

const REDRAW_MS = 100;

export function makeProgress({ stream, share, everyRows = 1000, now = Date.now }: ProgressOptions): Progress {
  const startedAt = now();
  const onTerminal = stream.isTTY === true;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let shownRows = 0;
  let drawn = false;
  let waitsUntil = 0;
  let waitsFor = '';

  const clear = (): void => {
    if (drawn) stream.write('\r\u001b[K');
    drawn = false;
  };

  return {
    clear,
    counted(tally) {
      const done = tally.sent + tally.existing + tally.refused + tally.undelivered + tally.skipped;
      if (onTerminal) {
        if (now() - drawnAt < REDRAW_MS) return;
        drawnAt = now();
        clear();
        stream.write(`${line(tally, done)}${waitsUntil > now() ? `, ${waitsFor}` : ''}`.slice(0, width()));
        drawn = true;
      } else if (done >= shownRows + everyRows) {
        shownRows = done;
        stream.write(`${line(tally, done)}\n`);
      }
    },
    waiting(milliseconds, reason) {
      waitsUntil = now() + milliseconds;
      waitsFor = `waiting ${Math.ceil(milliseconds / 1000)} s: ${reason}`;
      // Short waits for the rate limit are expected and not shown in a pipe.
      if (!onTerminal && milliseconds >= 10_000) stream.write(`${waitsFor}\n`);
    },
  };

  function line(tally: Tally, done: number): string {
    const seconds = Math.max(0.001, (now() - startedAt) / 1000);
    const read = share();
    const left = read === null || read <= 0 ? null : (seconds / read) * (1 - read);
    return [
      `${done} rows`,
      `${(done / seconds).toFixed(done / seconds < 10 ? 1 : 0)}/s`,
      ...(read === null ? [] : [`${Math.floor(read * 100)}%`]),
      ...(left === null ? [] : [`${duration(left)} left`]),
      `${tally.sent} sent`,
      ...(tally.existing > 0 ? [`${tally.existing} existing`] : []),
      ...(tally.refused > 0 ? [`${tally.refused} rejected`] : []),
      ...(tally.undelivered > 0 ? [`${tally.undelivered} not delivered`] : []),
      ...(tally.skipped > 0 ? [`${tally.skipped} skipped`] : []),
    ].join(', ');
  }

  function width(): number {
    return Math.max(20, (stream.columns ?? 80) - 1);
  }
}

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
