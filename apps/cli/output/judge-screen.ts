import type { Job } from '#lib/contracts/job';
import type { JudgeReport } from '#lib/judge/contract';
import { cutToCells } from './cells.js';
import { fitTable } from './fit-table.js';
import { calibrationText, judgedTable } from '../reports/judge.js';
import { progressBars } from './progress-bars.js';
import { beginning, durationText } from './table.js';
import { escapeControls } from './terminal.js';

const MAX_TEXT = 300;

/** A report in progress, in lines that fit the terminal: its progress, and the judge's verdicts so far. */
export function judgeScreen(
  { report, job }: { report: JudgeReport; job: Pick<Job, 'progress' | 'detail'> },
  columns: number,
  rows: number,
): string[] {
  const width = columns - 1;
  const { done, total, errored, eta_s: left } = job.progress;
  const time = left === null ? [] : [`about ${durationText(left)} left`];
  const [heading, ...lines] = fitTable(judgedTable(report), width, FITTING[report.baseline_eval_id === null ? 0 : 1]!);
  const head = [
    ...progressBars([{ target: 'Judging', settled: done, total, errored }], columns, 1),
    [...time, ...(job.detail === null ? [] : [beginning(job.detail, MAX_TEXT)])].join('. '),
    calibrationText(report),
  ].filter((line) => line !== '');
  const most = Math.max(0, rows - head.length - 1);
  const shown = lines.length > most ? lines.slice(0, Math.max(0, most - 1)) : lines;
  const others = lines.length - shown.length;
  return [...head, ...(shown.length ? [heading!, ...shown] : []), ...(others > 0 ? [`and ${others} more`] : [])]
    .slice(0, Math.max(0, rows))
    .map((line) => cutToCells(escapeControls(line), width));
}

/** Order in which a narrow terminal leaves out columns. */
const FITTING = [
  {
    flexible: 'model',
    spared: [
      ...['kappa (95 %)', 'suspicious', 'expectation at fault', 'stricter', 'kinder', 'ok (95 %)', 'errored'],
      ...['judged', 'cannot tell'],
    ],
  },
  { flexible: 'model', spared: ['preferred (95 %)', 'errored', 'flips', 'against'] },
];
