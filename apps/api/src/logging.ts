import pc from 'picocolors';
import winston from 'winston';
import Transport from 'winston-transport';

/** The property in which winston expects the formatted line. */
const MESSAGE = Symbol.for('message');

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'json' | 'pretty';

/** Never log a secret, a body, or personal data of a policyholder. */
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

/** One JSON document per line. Fields that JSON cannot express are dropped: logging must not fail a request. */
const json = winston.format((info) => {
  let line: string;
  try {
    line = JSON.stringify(info);
  } catch {
    line = JSON.stringify({ level: info.level, message: info.message, timestamp: info.timestamp });
  }
  return Object.assign(info, { [MESSAGE]: line });
})();

/** Transports with buffered lines. They are flushed on exit, when no further immediate runs. */
const unflushed = new Set<BufferedTransport>();
process.once('exit', () => {
  for (const transport of unflushed) transport.flush();
});

/** One write for all lines of one tick: a line then takes two thirds of the processor time. */
class BufferedTransport extends Transport {
  #buffer = '';

  constructor(private readonly stream: NodeJS.WritableStream) {
    super();
  }

  override log(info: Record<symbol, unknown>, done: () => void): void {
    if (this.#buffer === '') {
      unflushed.add(this);
      setImmediate(() => this.flush());
    }
    this.#buffer += `${String(info[MESSAGE])}\n`;
    done();
  }

  flush(): void {
    const lines = this.#buffer;
    this.#buffer = '';
    unflushed.delete(this);
    if (lines !== '') this.stream.write(lines);
  }
}

const noop = (): void => {};

/** @param options.stream standard output unless given; commands that print a result log to standard error. */
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
  const logger = winston.createLogger({ level, format, transports: [new BufferedTransport(stream)] });
  // winston formats a line before it checks the level, so disabled levels do not reach it.
  const at = (wanted: LogLevel): Log['info'] =>
    logger.isLevelEnabled(wanted) ? (message, fields) => void logger.log(wanted, message, fields) : noop;
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

const CONSOLE = ['trace', 'debug', 'log', 'info', 'warn', 'error'] as const;

/**
 * Redirects what libraries print, and Node's warnings, to the log, so that every line of the output is a log line. The
 * printed text may quote a claim, so only the kind of error and the caller are logged.
 */
export function redirectConsoleToLog(log: Log): void {
  for (const method of CONSOLE) {
    console[method] = (...printed: unknown[]) => {
      const error = printed.find((value) => value instanceof Error);
      const [, , caller] = new Error().stack?.split('\n') ?? [];
      log.warn('a library printed something', {
        error: error?.name,
        code: codeOf(error),
        by: caller?.trim(),
      });
    };
  }
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    log.warn(warning.message, { error: warning.name, code: codeOf(warning) });
  });
}

const codeOf = (error: (Error & { code?: unknown }) | undefined): unknown => error?.code;
