import winston from 'winston';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'json' | 'pretty';

/** What the service writes down. Never a secret, a body, or anything that tells who a policyholder is. */
export interface Log {
  error(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  debug(message: string, fields?: Record<string, unknown>): void;
}

const COLORS: Readonly<Record<string, string>> = { error: '31', warn: '33', info: '36', debug: '90' };

const pretty = winston.format.printf(({ level, message, timestamp, ...fields }) => {
  const time = String(timestamp).slice(11, 23);
  const rest = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  return `\u001b[90m${time}\u001b[0m \u001b[${COLORS[level] ?? '0'}m${level.padEnd(5)}\u001b[0m ${message} \u001b[90m${rest}\u001b[0m`;
});

/** Logs go to standard output; for commands whose standard output is their result, to standard error. */
export function createLog(options: {
  level: LogLevel;
  format: LogFormat;
  stream?: NodeJS.WritableStream;
}): Log {
  return winston.createLogger({
    level: options.level,
    format: winston.format.combine(
      winston.format.timestamp(),
      options.format === 'json' ? winston.format.json() : pretty,
    ),
    transports: [new winston.transports.Stream({ stream: options.stream ?? process.stdout })],
  });
}
