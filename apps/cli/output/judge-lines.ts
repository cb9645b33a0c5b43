import type { Calibration, Judgement, JudgeReport, JudgeSetting } from '#lib/judge/contract';
import {
  calibrationFacts,
  calibrationText,
  judgedTable,
  judgedText,
  judgementFacts,
  judgementName,
  kappaText,
  nextCommands,
  opinions,
  pairTexts,
  reportFacts,
  shareText,
  shownDisagreements,
  tableNotes,
  type Disagreement,
} from './judge-report.js';
import { beginning, percent, table } from './table.js';
import { escapeControls } from './terminal.js';
import { factLines } from './tune-lines.js';

const MAX_TEXT = 300;

/** A report of a judge for a terminal, line by line: the calibration stands above its figures. */
export function reportLines(report: JudgeReport): string[] {
  const cells = judgedTable(report);
  return [
    `Report ${report.id} v${report.version} is ${report.status} (job ${report.job_id}).`,
    ...factLines(reportFacts(report)),
    '',
    calibrationText(report),
    ...(cells.length > 1 ? [...table(cells), ...pairTexts(report), ...tableNotes(report)] : ['Nothing is judged.']),
    ...opinions(report).flatMap(([heading, sentences]) => ['', `${heading}:`, ...sentences.map((one) => `  ${one}`)]),
    ...(nextCommands(report).length ? ['', ...factLines(nextCommands(report))] : []),
  ].map(escapeControls);
}

/** Where a judge says otherwise than the score, or than the suite. */
export function disagreementLines(report: JudgeReport, disagreements: readonly Disagreement[]): string[] {
  const shown = shownDisagreements(disagreements);
  if (shown.length === 0) return ['', 'The judge says nothing otherwise than the score.'];
  return shown
    .flatMap(({ heading, judgements, more }) => [
      '',
      `${heading} (${report.calibration.status})`,
      ...judgements.flatMap((one) => [
        `  ${judgementName(one)}`,
        ...factLines(judgementFacts(one)).map((line) => `      ${line}`),
      ]),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ])
    .map(escapeControls);
}

export const reportsTable = (reports: readonly JudgeReport[]): string[] =>
  table([
    ['report', 'status', 'run', 'judge', 'judged', 'ok (95 %)', 'kappa (95 %)', 'calibration', 'asked by', 'submitted'],
    ...reports.map((report) => [
      `${report.id} v${report.version}`,
      report.status,
      report.baseline_eval_id === null ? report.eval_id : `${report.eval_id} against ${report.baseline_eval_id}`,
      beginning(report.judge, MAX_TEXT),
      judgedText(report),
      shareText(report.share_ok, report.share_ok_ci),
      kappaText(report.kappa, report.kappa_ci),
      report.calibration.status,
      SOURCES[report.source],
      report.created_at,
    ]),
  ]);

const SOURCES: Record<JudgeReport['source'], string> = {
  user: 'a user',
  inline: 'its run',
  after: 'its run',
  auto: 'the settings',
};

/** Judgements, a line each. */
export const judgementsTable = (judgements: readonly Judgement[]): string[] =>
  table([
    ['result', 'case', 'model', 'score', 'judgement', 'beside the score', 'why'],
    ...judgements.map((one) => [
      one.result_id,
      judgementName(one),
      beginning(one.target, MAX_TEXT),
      one.passed ? 'pass' : 'FAIL',
      judgementText(one),
      one.agreement ?? '-',
      beginning(one.error ?? one.reasons.join(' '), MAX_TEXT),
    ]),
  ]);

function judgementText({ state, judged, preference, flipped, suspicious }: Judgement): string {
  if (!judged && !preference) return state;
  const marks = [
    ...(flipped ? ['flipped'] : []),
    ...(judged?.expectation_at_fault ? ['expectation at fault'] : []),
    ...(suspicious ? ['suspicious'] : []),
  ];
  return [(judged?.verdict ?? preference!).replaceAll('_', ' '), ...marks].join(', ');
}

/** How far people confirm a judge, for a terminal. */
export const calibrationLines = (calibration: Calibration): string[] =>
  [calibration.text, '', ...factLines(calibrationFacts(calibration))].map(escapeControls);

/** The judge of a team, for a terminal. */
export const settingLines = ({ judge, instructions, auto_below: below }: JudgeSetting): string[] =>
  [
    ...factLines([
      ['Judge', judge ?? 'none'],
      [
        'Judges',
        below === 0 ? 'nothing by itself' : `by itself what did not pass of runs that score below ${percent(below)}`,
      ],
    ]),
    ...(instructions ? ['Instructions', ...instructions.split('\n').map((line) => `  ${line}`)] : []),
  ].map(escapeControls);
