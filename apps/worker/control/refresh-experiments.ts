import { LRUCache } from 'lru-cache';
import { withLease } from '#lib/db/connection/lease';
import type { Pool } from '#lib/db/connection/pool';
import { readCandidates, type Candidate } from '#lib/db/engine/best-run';
import {
  hasEnded,
  readExperiment,
  readRun,
  storePair,
  type ExperimentToCompare,
  type RunOfExperiment,
} from '#lib/db/engine/experiment-pairs';
import {
  adoptFirstRun,
  experimentsToRefresh,
  readWorse,
  runsToCompare,
  storeFigures,
  type ExperimentToRefresh,
} from '#lib/db/engine/refresh-experiment';
import { RetryBackoff } from '../orchestration/retry-backoff.js';
import { isGone, type ComparePair } from './compare-pair.js';

/** How long a turn stays with one experiment: completed comparisons are then stored. */
const SLICE_MS = 2000;
/** Comparisons are looked up in batches of this size. */
const RUNS_AT_A_TIME = 20;

/** Recomputes the figures of experiments after a run ended or was deleted, or the baseline changed. */
export class ExperimentRefresher {
  readonly #backoff = new RetryBackoff();
  /** By experiment, the runs that could not be compared, which are skipped until the others are done. */
  readonly #failed = new LRUCache<string, Set<string>>({ max: 10_000 });

  constructor(
    readonly deps: {
      pool: Pool;
      compare: ComparePair;
      onMoreToDo: () => void;
      onFailure: (error: Error, experiment: ExperimentToRefresh, runId: string) => void;
    },
  ) {}

  /** The experiments with stale figures, except those that failed a moment ago. */
  toRefresh(): Promise<ExperimentToRefresh[]> {
    return experimentsToRefresh(this.deps.pool, this.#backoff.waiting());
  }

  /** Refreshes an experiment, or continues with it for a while. */
  async refresh(experiment: ExperimentToRefresh, stop: AbortSignal): Promise<void> {
    const { pool, onMoreToDo } = this.deps;
    await withLease(pool, `refresh ${experiment.id}`, async (lost) => {
      const failed = this.#failed.get(experiment.id) ?? new Set<string>();
      this.#failed.delete(experiment.id);
      try {
        const isDone = await this.#slice(experiment, failed, AbortSignal.any([stop, lost]));
        if (!isDone) {
          this.#failed.set(experiment.id, failed);
          onMoreToDo();
        } else if (failed.size) this.#backoff.add(experiment.id);
        else this.#backoff.clear(experiment.id);
      } catch (error) {
        this.#backoff.add(experiment.id);
        throw error;
      }
    });
  }

  /** @returns whether the figures are stored, as far as possible */
  async #slice(found: ExperimentToRefresh, failed: Set<string>, stop: AbortSignal): Promise<boolean> {
    const { pool } = this.deps;
    const experiment = await readExperiment(pool, found.id);
    if (!experiment) return true;
    const { baseline, baselineDeleted } = experiment;
    if (!baseline && !baselineDeleted && (await adoptFirstRun(pool, found.id))) return false;
    const work = { experiment, failed, stop, endMs: Date.now() + SLICE_MS };
    if (baseline && hasEnded(baseline) && !(await this.#compareAll(work, baseline))) return false;
    const candidates = baseline ? await readCandidates(pool, found.id, baseline) : [];
    const best = candidates[0] && (await readRun(pool, candidates[0].id));
    if (best && !(await this.#compareAll(work, best, candidates))) return false;
    const worse = best ? await readWorse(pool, found.id, [best, baseline!]) : new Set();
    return storeFigures(pool, experiment, {
      bestId: best?.id ?? null,
      tiedWith: candidates.slice(1).flatMap(({ id }) => (worse.has(id) ? [] : [id])),
      isComplete: failed.size === 0,
    });
  }

  /** Makes the missing comparisons with a run. @returns false when there is more to do in another turn */
  async #compareAll(work: Work, against: RunOfExperiment, candidates?: readonly Candidate[]): Promise<boolean> {
    const { experiment, failed, stop, endMs } = work;
    const among = candidates?.map(({ id }) => id);
    for (;;) {
      const ids = await runsToCompare(this.deps.pool, experiment.id, against, {
        among,
        except: [...failed],
        limit: RUNS_AT_A_TIME,
      });
      if (ids.length === 0) return true;
      for (const id of ids) {
        stop.throwIfAborted();
        if (Date.now() > endMs) return false;
        if (!(await this.#compareOne(work, id, against))) return false;
      }
    }
  }

  /**
   * A run that cannot be compared does not block the others.
   * @returns false when one of the two was deleted in the meantime, and the experiment has to be read again
   */
  async #compareOne({ experiment, failed, stop }: Work, id: string, against: RunOfExperiment): Promise<boolean> {
    const { pool, compare, onFailure } = this.deps;
    try {
      const run = await readRun(pool, id);
      if (!run) return false;
      await storePair(pool, experiment.id, await compare(experiment, run, against, stop));
    } catch (error) {
      stop.throwIfAborted();
      if (isGone(error)) return false;
      failed.add(id);
      onFailure(error as Error, experiment, id);
    }
    return true;
  }
}

interface Work {
  experiment: ExperimentToCompare;
  failed: Set<string>;
  stop: AbortSignal;
  endMs: number;
}
