import pc from 'picocolors';
import winston from 'winston';
import Transport from 'winston-transport';

/** Where the library looks for the line as it is to be written. */
const MESSAGE = Symbol.for('message');

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'json' | 'pretty';

/** What the service writes down. Never a secret, a body, or anything that tells who a policyholder is. */
export interface Log {
  error(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  debug(message: string, fields?: Record<string, unknown>): void;
}

const colors = pc.createColors(true);
const PAINT: Readonly<Record<string, (text: string) => string>> = {
  error: colors.red,
  warn: colors.yellow,
  info: colors.cyan,
  debug: colors.gray,
};

const pretty = winston.format.printf(({ level, message, timestamp, ...fields }) => {
  const time = String(timestamp).slice(11, 23);
  const rest = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const word = level.padEnd(5);
  return `${colors.gray(time)} ${PAINT[level]?.(word) ?? word} ${message} ${colors.gray(rest)}`;
});

/** One JSON document a line. Fields are plain values; what cannot be written as JSON must not end a request. */
const json = winston.format((info) => {
  let line: string;
  try {
    line = JSON.stringify(info);
  } catch {
    line = JSON.stringify({ level: info.level, message: info.message, timestamp: info.timestamp });
  }
  return Object.assign(info, { [MESSAGE]: line });
})();

/** Who has lines that are not written yet: at the end of the process there is no next turn. */
const unwritten = new Set<Lines>();
process.once('exit', () => {
  for (const lines of unwritten) lines.writeOut();
});

/** Writes what is logged in one turn of the event loop at once: a system call costs more than the line it carries. */
class Lines extends Transport {
  #waiting = '';

  constructor(private readonly stream: NodeJS.WritableStream) {
    super();
  }

  override log(info: Record<symbol, unknown>, done: () => void): void {
    if (this.#waiting === '') {
      unwritten.add(this);
      setImmediate(() => this.writeOut());
    }
    this.#waiting += `${String(info[MESSAGE])}\n`;
    done();
  }

  writeOut(): void {
    const lines = this.#waiting;
    this.#waiting = '';
    unwritten.delete(this);
    if (lines !== '') this.stream.write(lines);
  }
}

const nothing = (): void => {};

/** Logs go to standard output; for commands whose standard output is their result, to standard error. */
export function createLog(options: {
  level: LogLevel;
  format: LogFormat;
  stream?: NodeJS.WritableStream;
}): Log {
  const { level, stream = process.stdout } = options;
  const format = winston.format.combine(
    winston.format.timestamp(),
    options.format === 'json' ? json : pretty,
  );
  const logger = winston.createLogger({ level, format, transports: [new Lines(stream)] });
  // The library formats a line before it finds out that nobody wants it.
  const at = (wanted: LogLevel): Log['info'] =>
    logger.isLevelEnabled(wanted) ? (message, fields) => void logger.log(wanted, message, fields) : nothing;
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

const CONSOLE = ['trace', 'debug', 'log', 'info', 'warn', 'error'] as const;

/**
 * Libraries that print by themselves, and Node's own warnings, go to the log as well, so that whoever reads it line by
 * line finds nothing else. What is printed may quote a claim: the log says what kind of error it was, and who printed it.
 */
export function logWhatIsPrinted(log: Log): void {
  for (const method of CONSOLE) {
    console[method] = (...printed: unknown[]) => {
      const error = printed.find((one) => one instanceof Error);
      const [, , by] = new Error().stack?.split('\n') ?? [];
      log.warn('a library printed something', { error: error?.name, code: codeOf(error), by: by?.trim() });
    };
  }
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    log.warn(warning.message, { error: warning.name, code: codeOf(warning) });
  });
}

const codeOf = (error: (Error & { code?: unknown }) | undefined): unknown => error?.code;
