import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '#lib/client/api-client';

const PAUSE_MS = 1000;
/**
 * A server may be restarting. Some work takes hours, so watching it tolerates a longer outage than a live connection.
 */
const PATIENCE_MS = 120_000;

/**
 * Retries while the server is unreachable or cannot answer.
 * @param note called once, at the first retry
 */
export async function askPatiently<Answer>(ask: () => Promise<Answer>, note: (text: string) => void): Promise<Answer> {
  const until = performance.now() + PATIENCE_MS;
  for (let asked = 0; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error;
      if (asked === 0) note('The server does not answer. Retrying.');
    }
    await delay(PAUSE_MS);
  }
}

const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.problem.status >= 500 || error.problem.status === 429;
