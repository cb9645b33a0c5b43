import type { TimelineEntry } from '#lib/contracts/experiment';
import type { Page, PageQuery } from '#lib/contracts/page';
import { targetName } from '#lib/contracts/target-name';
import type { StoredExperiment } from '#lib/db/catalogue/experiments';
import type { Pool } from '#lib/db/connection/pool';
import { ExperimentRunRepository, type ExperimentRun } from '#lib/db/read/experiment-runs';
import { cursorOf } from '../platform/decorators.js';
import { summariseConfig } from './config-summary.js';
import { comparisonWith } from './describe-experiments.js';

/** When the last entry of a page ended, in milliseconds, and its id. */
const CURSOR = /^(\d{1,14})~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The cursor of a timeline. @throws ProblemError 400 */
export const timelineCursor = (cursor: string | undefined): string | undefined => cursorOf(cursor, CURSOR);

/** What ended in an experiment, the oldest first. */
export async function readTimeline(
  pool: Pool,
  teamId: string,
  experiment: StoredExperiment,
  { limit, cursor }: PageQuery,
): Promise<Page<TimelineEntry>> {
  const runs = new ExperimentRunRepository(pool, teamId);
  const { baselineId } = experiment;
  const [, endedAtMs, id] = CURSOR.exec(cursor ?? '') ?? [];
  const after = id === undefined ? undefined : { endedAtMs: Number(endedAtMs), id };
  const baseline = baselineId === null ? undefined : (await runs.find([baselineId])).get(baselineId);
  const ended = await runs.listEnded(experiment.id, { limit: limit + 1, after });
  const shown = ended.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((run) => toEntry(run, experiment, baseline)),
    next_cursor: ended.length > limit && last ? `${last.finishedAt!.getTime()}~${last.id}` : null,
  };
}

function toEntry(
  run: ExperimentRun,
  { baselineId, bestId }: StoredExperiment,
  baseline: ExperimentRun | undefined,
): TimelineEntry {
  const compared = comparisonWith(run, baselineId);
  return {
    type: 'eval',
    id: run.id,
    timestamp: run.finishedAt!.toISOString(),
    status: run.status,
    score: run.score,
    // Never without the verdict beside it.
    delta: compared && run.delta,
    is_baseline: run.id === baselineId,
    is_best: run.id === bestId,
    differs: compared ? run.differs : [],
    comparison: compared && {
      verdict: compared.verdict,
      difference: compared.difference,
      ci: compared.ci,
      n_cases: compared.n_cases,
      small: compared.small,
      text: compared.text,
    },
    config_summary: summariseConfig(run, baseline),
    targets: run.targets.map(targetName),
  };
}
