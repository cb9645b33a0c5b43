import type { Job } from '#lib/contracts/job';
import type { PromptTune } from '#lib/prompt-tune/contract';
import type { LeanCandidate } from '../lookup/read-candidates.js';
import { cutToCells } from './cells.js';
import { fitTable } from './fit-table.js';
import {
  candidateName,
  changedText,
  countsText,
  leadingCandidate,
  madeText,
  reasonText,
  scoreText,
  whyText,
} from '../reports/prompt-tune.js';
import { listOf } from './report.js';
import { percent } from './table.js';
import { escapeControls } from './terminal.js';
import { progressLines } from './tune-screen.js';

/** The state of a watched prompt tune in progress. */
export interface PromptTuneView {
  tune: Pick<PromptTune, 'step' | 'planned_requests' | 'evaluations' | 'front'>;
  job: Pick<Job, 'progress' | 'detail'>;
  candidates: readonly LeanCandidate[];
}

/** Order in which a narrow terminal leaves out columns. */
const FITTING = { flexible: 'changed', spared: ['step', 'made', 'score', 'state'] };
const HEADING = ['candidate', 'step', 'made', 'state', 'score', 'changed'];
const MAX_BLOCKS = 100;

/** A tune in progress, in lines that fit the terminal: its progress, the best so far, and the newest candidates. */
export function promptTuneScreen(view: PromptTuneView, columns: number, rows: number): string[] {
  const { tune, candidates } = view;
  const width = columns - 1;
  const head = [
    ...progressLines(view, width),
    `${countsText(candidates)}; ${tune.evaluations} items measured`,
    ...(tune.front.length ? [`Front: ${listOf(tune.front.map(String))}`] : []),
    ...bestLines(candidates),
  ];
  return [...head, ...newestCandidates(candidates, width, rows - head.length)]
    .slice(0, Math.max(0, rows))
    .map((line) => cutToCells(escapeControls(line), width));
}

function bestLines(candidates: readonly LeanCandidate[]): string[] {
  const best = leadingCandidate(candidates);
  if (!best) return [];
  const base = best.candidate === 0 ? '' : `, the base ${percent(candidates[0]?.scores.select ?? null)}`;
  return [`Best so far: ${candidateName(best.candidate)}, ${percent(best.scores.select)}${base}`];
}

/** The newest candidates that fit completely, each with its note below. */
function newestCandidates(candidates: readonly LeanCandidate[], width: number, room: number): string[] {
  const blocks = candidates
    .slice(1)
    .toReversed()
    .slice(0, Math.min(MAX_BLOCKS, Math.max(0, room)))
    .map((one) => ({ one, said: noteLines(one) }));
  const shown: typeof blocks = [];
  let left = room - 1;
  for (const block of blocks) {
    left -= 1 + block.said.length;
    if (left < 0) break;
    shown.push(block);
  }
  if (shown.length === 0) return [];
  const [heading, ...lines] = fitTable([HEADING, ...shown.map(({ one }) => rowOf(one))], width, FITTING);
  return [heading!, ...shown.flatMap(({ said }, index) => [lines[index]!, ...said])];
}

const rowOf = (one: LeanCandidate): string[] => [
  String(one.candidate),
  String(one.iteration),
  madeText(one),
  one.state,
  scoreText(one),
  changedText(one),
];

const noteLines = (one: LeanCandidate): string[] =>
  [
    ['why', whyText(one)],
    [one.state, reasonText(one)],
  ].flatMap(([name, text]) => (text === '' ? [] : [`  ${name}: ${text}`]));
