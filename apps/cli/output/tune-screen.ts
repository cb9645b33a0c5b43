import type { Job } from '#lib/contracts/job';
import type { TuneArm } from '#lib/param-tune/contract';
import { cutToCells } from './cells.js';
import { fitTable } from './fit-table.js';
import { progressBars } from './progress-bars.js';
import { beginning, durationText } from './table.js';
import { escapeControls } from './terminal.js';
import { ARM_HEADING, armName, armRow, armsOf, isDistinct, rankArms, STEP_WORDS } from '../reports/tune.js';
import type { TuneReport } from '../reports/tune.js';

/** The state of a watched tune in progress. */
export interface TuneView extends TuneReport {
  job: Pick<Job, 'progress' | 'detail'>;
}

const MAX_NAMED = 20;
const MAX_NAME = 300;
/** A model takes its name, an arm, and the line about hidden arms. */
const LEAST_LINES = 3;

/** A tune in progress, in lines that fit the terminal: its progress, and the best arms of each model. */
export function tuneScreen(view: TuneView, columns: number, rows: number): string[] {
  const { tune } = view;
  const width = columns - 1;
  const head = progressLines(view, width);
  const left = rows - head.length - 1;
  const isOne = tune.targets.length === 1;
  const most = Math.floor(left / LEAST_LINES);
  const shown = tune.targets.slice(0, most < tune.targets.length ? Math.floor((left - 1) / LEAST_LINES) : most);
  const others = tune.targets.length - shown.length;
  const each = Math.floor((left - (others > 0 ? 1 : 0)) / Math.max(1, shown.length)) - (isOne ? 1 : 2);
  const blocks = shown.map(({ target }) => blockOf(armsOf(view, target), Math.max(0, each)));
  const [heading, ...lines] = fitTable(
    [ARM_HEADING, ...blocks.flatMap(({ best }) => best.map(armRow))],
    width,
    FITTING,
  );
  const body = shown.flatMap(({ target }, index) => [
    ...(isOne ? [] : [beginning(target, MAX_NAME)]),
    ...lines.splice(0, blocks[index]!.best.length),
    ...(blocks[index]!.rest === '' ? [] : [blocks[index]!.rest]),
  ]);
  return [
    ...head,
    ...(shown.length ? [heading!, ...body] : []),
    ...(others > 0 ? [shown.length ? `and ${others} more models` : `${others} models`] : []),
  ]
    .slice(0, Math.max(0, rows))
    .map((line) => cutToCells(escapeControls(line), width));
}

/** The progress of a tune: a bar, and what is left. */
export function progressLines(
  { tune, job }: { tune: Pick<TuneView['tune'], 'step' | 'planned_requests'>; job: TuneView['job'] },
  width: number,
): string[] {
  const { done, total, errored, eta_s: left } = job.progress;
  const step = STEP_WORDS[tune.step] ?? tune.step;
  const bars = progressBars([{ target: step, settled: done, total, errored }], width + 1, 1);
  const time = left === null ? '' : `, about ${durationText(left)} left`;
  const detail = job.detail === null ? '' : `. ${job.detail}`;
  return [...bars, `${tune.planned_requests} requests planned${time}${detail}`];
}

/** The best arms of a model that fit, and a line about dropped and hidden ones. */
function blockOf(arms: readonly TuneArm[], most: number): { best: TuneArm[]; rest: string } {
  const ranked = rankArms(arms.filter(isDistinct));
  const measured = ranked.filter(({ state }) => state !== 'waiting');
  const best = measured.slice(0, most);
  const others = measured.slice(most);
  const counts = [
    [measured.filter(({ state }) => state === 'dropped').length, 'dropped'],
    [ranked.length - measured.length, 'waiting'],
    [arms.length - ranked.length, 'the same as another'],
    [others.length, 'not shown'],
  ] as const;
  const named = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const names = others.slice(0, MAX_NAMED).map(armName).join('; ');
  return { best, rest: named.join(', ') + (names && `: ${names}`) };
}

/** Order in which a narrow terminal leaves out columns. */
const FITTING = { flexible: 'configuration', spared: ['p50', 'rung', 'cost', 'cases', 'state'] };
