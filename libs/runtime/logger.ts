import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Logs JSON lines to standard output. Messages are constant sentences with facts beside them, never keys or prompts. */
export function createLogger(name: string, level: string): Logger {
  return pino({
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['*.authorization', '*.api_key', 'authorization', 'api_key', 'headers.authorization'],
      censor: '[hidden]',
    },
  });
}
