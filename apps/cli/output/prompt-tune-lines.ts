import type { TriedPrompt } from '../lookup/read-candidates.js';
import { diffLines, type MarkedPart } from './prompt-diff.js';
import {
  candidateName,
  changedText,
  leadingCandidate,
  lineageOf,
  madeText,
  promptCommands,
  promptOutcomeFacts,
  promptTuneFacts,
  reasonText,
  rejectionFacts,
  scoreText,
  stateText,
  stepText,
  whyText,
  type PromptTuneReport,
} from './prompt-tune-report.js';
import { beginning, percent, table } from './table.js';
import { factLines } from './tune-lines.js';
import { said } from './tune-report.js';

const MAX_STEPS = 30;
const MAX_TEXT = 300;
const MAX_TOLD = 5;

/** A tune of prompts and what it found, for a terminal. */
export function promptTuneLines(report: PromptTuneReport): MarkedPart[][] {
  const { tune, diff } = report;
  const commands = promptCommands(report);
  const plain = (lines: readonly string[]): MarkedPart[][] => lines.map((text) => [{ op: 'same', text }]);
  return [
    ...plain([
      `Tune ${tune.id} is ${tune.status} (job ${tune.job_id}).`,
      ...factLines(promptTuneFacts(tune)),
      '',
      ...factLines(promptOutcomeFacts(report)),
      ...lineageLines(report),
      ...rejectionLines(report),
      ...(diff.length ? ['', `From the base to ${candidateName(tune.best!)}:`, ''] : []),
    ]),
    ...diffLines(diff),
    ...plain([
      ...(commands.length ? ['', ...factLines(commands)] : []),
      '',
      `All candidates: toolmark tunes candidates ${tune.id}`,
    ]),
  ];
}

function lineageLines(report: PromptTuneReport): string[] {
  const steps = lineageOf(report);
  if (steps.length === 0) return [];
  const shown = steps.slice(-MAX_STEPS);
  const [heading, ...rows] = table([
    ['candidate', 'made', 'score', 'changed'],
    ...shown.map((step) => [
      String(step.candidate),
      madeText(step),
      stepText(step, report.candidates),
      changedText(step),
    ]),
  ]);
  return [
    '',
    `How ${candidateName(report.tune.best!)} came about:`,
    ...(steps.length > shown.length ? [`after ${steps.length - shown.length} earlier steps`] : []),
    heading!,
    ...rows.flatMap((row, index) => [row, ...saidLine(whyText(shown[index]!))]),
  ];
}

const saidLine = (text: string): string[] => (text === '' ? [] : [`  ${text}`]);

function rejectionLines({ candidates }: PromptTuneReport): string[] {
  const { count, texts } = rejectionFacts(candidates);
  return count === 0 ? [] : ['', `Rejected candidates: ${count}`, ...texts.map((text) => `  ${text}`)];
}

const HEADING = ['candidate', 'step', 'made', 'state', 'score', 'final', 'held out', 'length', 'changed', ''];

/** All candidates that the API lists, each with what it measured and why it was rejected, or made. */
export const candidatesTable = (candidates: readonly TriedPrompt[]): string[] =>
  table([
    HEADING,
    ...candidates.map((one) => [
      one.candidate === 0 ? '0 base' : String(one.candidate),
      String(one.iteration),
      madeText(one),
      one.state,
      scoreText(one),
      percent(one.scores.final),
      percent(one.scores.holdout),
      String(one.length),
      changedText(one),
      beginning(reasonText(one) || whyText(one), MAX_TEXT),
    ]),
  ]);

/** One candidate in words, above what it changed. */
export const candidateLines = (one: TriedPrompt): string[] => [
  `Candidate ${one.candidate} is ${one.state} (${madeText(one)}).`,
  ...factLines([
    ['Score', scoreText(one)],
    ['Final', percent(one.scores.final)],
    ['Held out', percent(one.scores.holdout)],
    ['Length', `${one.length} characters`],
    ...(one.why === null ? [] : [said('Why', whyText(one))]),
    ...(one.reason === null ? [] : [said(one.state === 'undecided' ? 'Undecided' : 'Rejected', reasonText(one))]),
  ]),
];

/**
 * Tells of each generation, or step of a reflection, what came of it. One that may still get candidates is not told
 * yet: the next one begins when it is decided.
 */
export function tellGenerations(): (candidates: readonly TriedPrompt[], isSearching: boolean) => string[] {
  let told = 0;
  return (candidates, isSearching) => {
    const last = candidates.reduce((most, { iteration }) => Math.max(most, iteration), 0);
    const until = isSearching ? last - 1 : last;
    const lines: string[] = [];
    while (told < until) {
      told++;
      const made = candidates.filter(({ iteration }) => iteration === told);
      if (made.length > 0) lines.push(generationNews(told, made, candidates));
    }
    return lines;
  };
}

function generationNews(iteration: number, made: readonly TriedPrompt[], all: readonly TriedPrompt[]): string {
  const each = made
    .slice(0, MAX_TOLD)
    .map((one) => `candidate ${one.candidate} (${madeText(one)}: ${changedText(one)}) ${stateText(one.state)}`);
  const more = made.length > MAX_TOLD ? [`${made.length - MAX_TOLD} more`] : [];
  const best = leadingCandidate(all.filter((one) => one.iteration <= iteration));
  const leads = best ? ` Best so far: ${candidateName(best.candidate)}, ${percent(best.scores.select)}.` : '';
  return `step ${iteration}: ${beginning([...each, ...more].join(', '), MAX_TEXT)}.${leads}`;
}
