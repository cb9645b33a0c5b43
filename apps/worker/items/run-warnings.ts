import { retryTransient, type Pool } from '#lib/db/connection/pool';
import { logWarning } from '#lib/db/engine/log-events';
import type { Warning } from '#lib/providers/build-request';

const MAX_REMEMBERED = 10_000;

/**
 * Logs warnings of runs. The log of each generation of a run contains each warning once; the memory here only avoids
 * asking Postgres for every item.
 */
export class RunWarnings {
  readonly #logged = new Set<string>();

  constructor(readonly pool: Pool) {}

  async log(runId: string, generation: number, { code, message }: Warning): Promise<void> {
    const key = `${runId} ${generation} ${code}`;
    if (this.#logged.has(key)) return;
    await retryTransient(() => logWarning(this.pool, runId, code, message));
    if (this.#logged.size > MAX_REMEMBERED) this.#logged.clear();
    this.#logged.add(key);
  }
}
