import type { BaselineComparison, DeltaObstacle } from '#lib/contracts/comparison';
import type { BestRun, Experiment, TimelineEntry } from '#lib/contracts/experiment';
import type { Run } from '#lib/contracts/run';
import { points } from '#lib/comparison/points';
import { factsPart, type Fact, type Report } from '../output/report.js';
import { difference, percent, signedPoints, table } from '../output/table.js';
import { worstText } from '../output/against.js';
import { kappaText } from './judge.js';

export const experimentTable = (experiments: readonly Experiment[]): string[] =>
  table([
    ['experiment', 'name', 'status', 'suite', 'runs', 'baseline', 'best', 'verdict', 'now'],
    ...experiments.map(({ id, name, status, suite_name, run_count, baseline_eval_id, baseline_score, best, since }) => [
      id,
      name,
      status,
      suite_name ?? '(deleted)',
      String(run_count),
      percent(baseline_score),
      percent(best?.score ?? null),
      best ? againstBaseline(best, baseline_eval_id) : '',
      since?.text ?? '-',
    ]),
  ]);

function againstBaseline({ eval_id, comparison }: BestRun, baseline: string | null): string {
  if (eval_id === baseline) return 'is the baseline';
  return comparison ? `${comparison.verdict}, ${difference(comparison.difference, comparison.ci)}` : 'not compared';
}

/** An experiment with its baseline, its best run, and its caveats. */
export function experimentReport(experiment: Experiment): Report {
  const { id, name, status, suite_name, description, measure, margin, run_count, best, notes } = experiment;
  return {
    title: `Experiment ${id} is ${status}.`,
    parts: [
      factsPart([
        ['Name', name],
        ...(description ? [['About', description] as Fact] : []),
        ['Suite', suite_name ?? '(deleted)'],
        ['Compares', `${measure}, with a margin of ${points(margin)}`],
        ['Runs', String(run_count)],
        ['Baseline', baselineText(experiment)],
        ...(experiment.since ? [['Now', experiment.since.text] as Fact] : []),
        ...(best ? bestFacts(best, experiment.baseline_eval_id) : [['Best', 'none yet'] as Fact]),
        ...comparisonFacts(experiment),
        ...(experiment.refreshing
          ? [['Note', 'Comparisons are being computed again. Check back in a moment.'] as Fact]
          : []),
        ...notes.map((note): Fact => ['Note', note]),
      ]),
    ],
  };
}

const SET_BY = { user: 'pinned', first_run: 'the first run that completed' };

function baselineText({ baseline_eval_id: runId, baseline_score: score, baseline_set_by: by }: Experiment): string {
  if (runId === null) return 'none yet: the first run that completes becomes the baseline';
  return `${percent(score)}, run ${runId}${by ? ` (${SET_BY[by]})` : ''}`;
}

function bestFacts(best: BestRun, baseline: string | null): Fact[] {
  const { score, eval_id, config, targets, tied_with: ties } = best;
  return [
    ['Best', `${percent(score)}, run ${eval_id} (${againstBaseline(best, baseline)})`],
    ['', targets.join(', ')],
    ['', settingsText(config)],
    ...(ties.length ? [['', `not shown to be better than: ${ties.join(', ')}`] as Fact] : []),
  ];
}

const SETTINGS = ['samples', 'temperature', 'tool_choice', 'max_tokens'] as const;
function settingsText(config: BestRun['config']): string {
  if (!config) return 'a recorded run, which cannot be run again';
  const { params, system_prompt: prompt, base_prompt: base, tool_overrides: overrides, metrics } = config;
  return [
    ...SETTINGS.filter((name) => config[name] != null).map((name) => `${name} ${String(config[name])}`),
    ...(Object.keys(params ?? {}).length ? [`params ${JSON.stringify(params)}`] : []),
    ...(prompt ? ['its own system prompt'] : []),
    ...(base != null ? ["a prompt instead of the suite's"] : []),
    ...(Object.keys(overrides ?? {}).length ? ['its own tool descriptions'] : []),
    ...(metrics?.length ? [`${metrics.length} additional metrics`] : []),
  ].join(', ');
}

function comparisonFacts({ comparisons }: Experiment): Fact[] {
  const { made, expected_false_alarms: alarms } = comparisons;
  if (made === 0) return [];
  const byChance = `if all were equal, ${alarms.toFixed(2)} of them would be called better or worse by chance`;
  return [['Compared', `${made} with this baseline; ${byChance}`]];
}

/** The finished items of an experiment, one per line. A delta is shown with its verdict, or not at all. */
export const timelineTable = (entries: readonly TimelineEntry[]): string[] =>
  table([
    ['ended', 'what', 'id', 'name', 'status', 'score', 'delta to the baseline', 'mark', 'settings'],
    ...entries.map((entry) => [
      entry.timestamp,
      entry.type,
      entry.id,
      entry.name ?? '-',
      entry.status,
      percent(entry.score),
      deltaText(entry),
      marks(entry),
      summaryText(entry),
    ]),
  ]);

/** The figures of a judge are shown with their calibration. */
function summaryText({ config_summary: summary, judge }: TimelineEntry): string {
  if (!judge) return summary;
  const { share_ok: ok, kappa, calibration } = judge;
  const figures = [
    ...(ok === null ? [] : [`${percent(ok)} ok`]),
    ...(kappa === null ? [] : [`kappa ${kappaText(kappa, null)}`]),
  ];
  return `${[`${summary} of run ${judge.eval_id}`, ...figures].join(', ')} (${calibration.status})`;
}

const marks = ({ is_baseline, is_best }: TimelineEntry): string =>
  [...(is_baseline ? ['baseline'] : []), ...(is_best ? ['best'] : [])].join(', ');

const WHY_NO_DELTA: Record<DeltaObstacle, string> = { targets: 'other models', cases: 'too few common cases' };

type Compared = Pick<TimelineEntry, 'delta' | 'differs'> & {
  comparison: Pick<BaselineComparison, 'verdict' | 'difference' | 'ci' | 'small'> | null;
  is_baseline?: boolean;
};

/** How a run differs from its baseline, in points. The delta is of scores, the comparison is of the measure. */
function deltaText({ delta, differs, comparison, is_baseline }: Compared): string {
  if (is_baseline) return '-';
  const noDelta = `none${differs.length ? ` (${differs.map((why) => WHY_NO_DELTA[why]).join(', ')})` : ''}`;
  if (!comparison) return differs.length ? noDelta : 'not compared';
  const { verdict, small, ci } = comparison;
  const compared = `${difference(comparison.difference, ci)}, ${verdict}${small ? ', small' : ''}`;
  if (delta !== null && points(delta) === points(comparison.difference ?? NaN)) return compared;
  return `${delta === null ? noDelta : signedPoints(delta)}; compared: ${compared}`;
}

/** How a run differs from the baseline of its experiment, in the server's words, and by how much. */
export const baselineLines = (run: Pick<Run, 'delta' | 'differs' | 'comparison'>): string[] =>
  run.comparison
    ? [
        `Against the baseline: ${run.comparison.text}`,
        `Delta: ${deltaText(run)}`,
        ...worstLines(run.comparison.models),
        '',
      ]
    : [];

const worstLines = (models: BaselineComparison['models']): string[] =>
  models?.worst && models.regressed > 0 ? [`Worst model: ${worstText(models.worst)}`] : [];
