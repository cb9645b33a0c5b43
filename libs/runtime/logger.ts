import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * JSON lines on standard output. Messages are constant sentences, the facts stand beside them; never a key, never a
 * prompt.
 */
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
