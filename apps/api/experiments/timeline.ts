import type { TimelineEntry } from '#lib/contracts/experiment';
import type { Page, PageQuery } from '#lib/contracts/page';
import { targetName } from '#lib/contracts/target-name';
import type { StoredExperiment } from '#lib/db/catalogue/experiments';
import type { ParamTune } from '#lib/param-tune/contract';
import type { TunedTarget } from '#lib/tuning/contract';
import type { Pool } from '#lib/db/connection/pool';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { JudgeReportRepository } from '#lib/judge/rows/judge-reports';
import { PromptTuneRepository } from '#lib/prompt-tune/rows/prompt-tunes';
import { ParamTuneRepository } from '#lib/param-tune/rows/param-tunes';
import { ExperimentRunRepository, type ExperimentRun } from '#lib/db/read/experiment-runs';
import { calibrationHeads } from '../judge/calibration-heads.js';
import { cursorOf } from '../platform/decorators.js';
import { summariseConfig } from './config-summary.js';
import { comparisonWith } from './describe-experiments.js';

/** The end of a page's last entry, in milliseconds, and its id. */
const CURSOR = /^(\d{1,14})~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The cursor of a timeline. @throws ProblemError 400 */
export const timelineCursor = (cursor: string | undefined): string | undefined => cursorOf(cursor, CURSOR);

/** Finished runs, tunes and judge reports of an experiment, the oldest first. */
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
  const page = { limit: limit + 1, after };
  const tunes = new ParamTuneRepository(pool, teamId);
  const ended = [
    ...(await runs.listEnded(experiment.id, page)).map((run) => toEntry(run, experiment, baseline)),
    ...(await tunes.listEnded(experiment.id, page)).map(toTuneEntry),
    ...(await new PromptTuneRepository(pool, teamId).listEnded(experiment.id, page)).map(toPromptEntry),
    ...(await judgedEntries(pool, teamId, experiment.id, page)),
  ].sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp) || (a.id < b.id ? -1 : 1));
  const items = ended.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: ended.length > limit && last ? `${Date.parse(last.timestamp)}~${last.id}` : null };
}

/** Judge reports. Their figures are never shown without their calibration. */
async function judgedEntries(
  pool: Pool,
  teamId: string,
  experimentId: string,
  page: Parameters<JudgeReportRepository['listEnded']>[1],
): Promise<TimelineEntry[]> {
  const reports = await new JudgeReportRepository(pool, teamId).listEnded(experimentId, page);
  const heads = await calibrationHeads(
    pool,
    teamId,
    reports.map(({ fingerprint }) => fingerprint),
  );
  return reports.map(({ fingerprint, figures, ...report }) => ({
    type: 'judge',
    ...NO_SCORE,
    id: report.id,
    timestamp: report.finished_at!,
    status: report.status,
    config_summary: `judged by ${report.judge}`,
    targets: figures?.targets.map(({ target }) => target) ?? [],
    judge: {
      eval_id: report.eval_id,
      judge: report.judge,
      share_ok: figures?.share_ok ?? null,
      kappa: figures?.kappa ?? null,
      calibration: heads.get(fingerprint)!,
    },
  }));
}

const NO_SCORE = {
  name: null,
  score: null,
  score_ci: null,
  scored: 0,
  errored: 0,
  suite_version: null,
  delta: null,
  is_baseline: false,
  is_best: false,
  differs: [],
  comparison: null,
};

/** The winner of a tune has its own entry with its score. A tune has none: its score was chosen for being high. */
const ofTune = ({ id, finished_at, status, promoted_eval_id }: ParamTune | PromptTune) => ({
  id,
  timestamp: finished_at!,
  status,
  ...NO_SCORE,
  promoted_eval_id,
});

const toPromptEntry = (tune: PromptTune): TimelineEntry => ({
  type: 'prompt_tune',
  ...ofTune(tune),
  config_summary: tune.text ?? 'no answer',
  targets: tune.targets,
  prompt: {
    best: tune.best,
    outcome: tune.outcome,
    difference: tune.holdout?.difference ?? null,
    ci: tune.holdout?.ci ?? null,
    prompt_version_id: tune.prompt_version_id,
  },
});

const toTuneEntry = ({ tune, tuned }: { tune: ParamTune; tuned: TunedTarget[] }): TimelineEntry => ({
  type: 'param_tune',
  ...ofTune(tune),
  config_summary: tune.targets.map(({ target, text }) => `${target}: ${text ?? 'no answer'}`).join(' '),
  targets: tune.targets.map(({ target }) => target),
  combos: tune.targets.reduce((sum, { arms }) => sum + arms, 0),
  holdout: tuned,
});

function toEntry(
  run: ExperimentRun,
  { baselineId, bestId }: StoredExperiment,
  baseline: ExperimentRun | undefined,
): TimelineEntry {
  const compared = comparisonWith(run, baselineId);
  return {
    type: 'eval',
    id: run.id,
    name: run.name,
    timestamp: run.finishedAt!.toISOString(),
    status: run.status,
    score: run.score,
    score_ci: intervalOf(run),
    scored: sumOf(run, ({ scored }) => scored),
    errored: sumOf(run, ({ errored }) => errored),
    suite_version: run.suiteVersion,
    // Never without its verdict.
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
      ...(compared.models && { models: compared.models }),
    },
    config_summary: summariseConfig(run, baseline),
    targets: run.targets.map(targetName),
  };
}

const sumOf = ({ targets }: ExperimentRun, of: (target: ExperimentRun['targets'][number]) => number): number =>
  targets.reduce((sum, target) => sum + of(target), 0);

/**
 * For several models: wide enough for any correlation of their scores, as a sum never varies more than its parts do.
 */
function intervalOf({ score, targets }: ExperimentRun): [number, number] | null {
  const ends = targets.flatMap(({ overallCi }) => (overallCi ? [overallCi] : []));
  if (score === null || ends.length === 0) return null;
  const meanOf = (end: 0 | 1): number => ends.reduce((sum, interval) => sum + interval[end], 0) / ends.length;
  return [meanOf(0), meanOf(1)];
}
