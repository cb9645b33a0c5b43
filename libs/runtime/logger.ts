import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Logs JSON lines to standard output: constant messages with fields, and never a key or a prompt. */
export function createLogger(name: string, level: string): Logger {
  return pino({
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', 'api_key', 'cookie', 'set-cookie'].flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
      censor: '[hidden]',
    },
  });
}
