import type { PromptTune } from '#lib/prompt-tune/contract';
import type { ComponentDiff } from '#lib/contracts/prompt-version';
import type { LeanCandidate } from '../lookup/read-candidates.js';
import { diffLines } from '../output/prompt-diff.js';
import { fact, factsPart, heading, listOf, MAX_TEXT, oneLine, longFact, text } from '../output/report.js';
import type { Fact, Part, Report } from '../output/report.js';
import { promptRunCommand } from '../output/run-command.js';
import { beginning, difference, dollars, percent, measureText, table } from '../output/table.js';

export interface PromptTuneReport {
  tune: PromptTune;
  candidates: readonly LeanCandidate[];
  /** From the base to the best candidate; empty while the base is the best. */
  diff: readonly ComponentDiff[];
}

const MAX_STEPS = 30;

/** A prompt tune and its outcome. */
export function promptTuneReport(report: PromptTuneReport): Report {
  const { tune, diff, candidates } = report;
  const { count, texts } = rejectionFacts(candidates);
  return {
    title: `Tune ${tune.id} is ${tune.status} (job ${tune.job_id}).`,
    parts: [
      factsPart(promptTuneFacts(tune)),
      factsPart(promptOutcomeFacts(report)),
      ...lineageParts(report),
      { kind: 'list', folded: `Rejected candidates: ${count}`, items: texts },
      ...(diff.length ? [heading(`From the base to ${candidateName(tune.best!)}`)] : []),
      { kind: 'changes', lines: diffLines(diff) },
      { kind: 'commands', commands: promptCommands(tune), elsewhere: `toolmark tunes show ${tune.id}` },
      text(`All candidates: toolmark tunes candidates ${tune.id}`),
    ],
  };
}

function lineageParts(report: PromptTuneReport): Part[] {
  const steps = lineageOf(report);
  if (steps.length === 0) return [];
  const shown = steps.slice(-MAX_STEPS);
  const earlier = steps.length - shown.length;
  const rows = shown.map((step) => [
    String(step.candidate),
    madeText(step),
    stepText(step, report.candidates),
    changedText(step),
    whyText(step),
  ]);
  return [
    heading(`Steps to ${candidateName(report.tune.best!)}`),
    text(earlier > 0 ? `after ${earlier} earlier steps` : ''),
    { kind: 'table', caption: 'Steps', cells: [['candidate', 'made', 'score', 'changed', 'why'], ...rows] },
  ];
}

/** The settings, each under a heading, in reading order. */
function promptTuneFacts({ suite_name: suite, suite_version: version, input, ...tune }: PromptTune): Fact[] {
  const { tuning, reflect, select, holdout } = tune.cases;
  const shown = reflect === tuning ? '' : ` (${reflect} visible to the meta model, ${select} for selection)`;
  const held = holdout === 0 ? 'none held out' : `${holdout} held out to confirm`;
  return [
    ...(tune.name === null ? [] : [fact('Name', tune.name)]),
    ['Suite', `${beginning(suite, MAX_TEXT)} v${version}`],
    longFact('Models', listOf(tune.targets)),
    fact('Meta model', tune.meta_target),
    longFact('Texts', listOf(Object.keys(tune.base))),
    ['How', `${howText(input)}, seed ${input.seed}, ${measureText(input)}`],
    ['Cases', `${tuning} for the search${shown}, ${held}`],
    ['Requests', `${tune.planned_requests} planned`],
    ...tune.notes.map((note) => longFact('Note', note)),
  ];
}

function howText({ mode, variants, population, generations, minibatch }: PromptTune['input']): string {
  if (mode === 'quick') return `quick, ${variants} texts`;
  if (mode === 'evolutionary') return `evolutionary, ${generations} generations of ${population}`;
  return `reflective, ${minibatch} cases per step`;
}

/** The outcome. */
function promptOutcomeFacts({ tune, candidates }: PromptTuneReport): Fact[] {
  const { holdout, meta, promoted_eval_id: promoted } = tune;
  const tokens = `${meta.prompt_tokens} + ${meta.completion_tokens} tokens`;
  return [
    longFact('Outcome', tune.text ?? 'nothing yet'),
    ...(holdout && tune.best !== null ? [fact('Held out', heldOutText(tune.best, holdout))] : []),
    ['Candidates', `${countsText(candidates)}, ${tune.evaluations} items measured`],
    ['Meta cost', `${meta.requests} requests, ${tokens}, ${dollars(meta.cost_usd)}`],
    ...(promoted === null ? [] : [fact('Promoted', `run ${promoted} of the experiment`)]),
  ];
}

const heldOutText = (best: number, { mean_a: a, mean_b: b, difference: by, ci, n_cases: cases }: HeldOut): string =>
  `candidate ${best} ${percent(b)}, the base ${percent(a)}: ${difference(by, ci)} over ${cases} cases`;
type HeldOut = NonNullable<PromptTune['holdout']>;

/** "9 with the base: 4 accepted, 5 rejected" */
export function countsText(candidates: readonly LeanCandidate[]): string {
  const counts = new Map<string, number>();
  for (const { candidate, state } of candidates)
    if (candidate !== 0) counts.set(stateText(state), (counts.get(stateText(state)) ?? 0) + 1);
  const named = [...counts].map(([state, count]) => `${count} ${state}`);
  return [`${candidates.length} with the base`, ...(named.length ? [named.join(', ')] : [])].join(': ');
}

/** How far a candidate got, in one of four words: accepted ones are distinguished by their scores. */
const stateText = (state: LeanCandidate['state']): string =>
  ['front', 'finalist', 'best'].includes(state) ? 'accepted' : state;

export const candidateName = (candidate: number): string => (candidate === 0 ? 'the base' : `candidate ${candidate}`);

/** "reflection of 3", "merge of 2 and 5" */
export const madeText = ({ kind, parents }: LeanCandidate): string =>
  parents.length === 0 ? kind : `${kind} of ${parents.join(' and ')}`;

/** The components that it changed. */
export const changedText = ({ changed, kind }: LeanCandidate): string =>
  kind === 'base' || changed.length === 0 ? '-' : listOf(changed.map((component) => beginning(component, MAX_TEXT)));

/** The meta model's description of the change, and the reason for a rejection; each on one line. */
export const whyText = ({ why }: Pick<LeanCandidate, 'why'>): string => oneLine(why ?? '');
export const reasonText = ({ reason }: Pick<LeanCandidate, 'reason'>): string => oneLine(reason ?? '');

/** Its score on the selection cases or, if it did not get that far, on the few cases that it was made for. */
export function scoreText({ scores }: LeanCandidate): string {
  if (scores.select !== null) return percent(scores.select);
  return scores.minibatch === null ? '-' : `${percent(scores.minibatch)} (parent ${percent(scores.parent)})`;
}

/**
 * The best of the accepted candidates so far, by the selection score: of equals the base, then the shorter, then the
 * earlier one. At its end the tune itself determines the best, from fresh samples.
 */
export function leadingCandidate(candidates: readonly LeanCandidate[]): LeanCandidate | undefined {
  const scored = candidates.filter(({ state, scores }) => stateText(state) === 'accepted' && scores.select !== null);
  return scored.toSorted(
    (a, b) =>
      b.scores.select! - a.scores.select! ||
      Number(b.candidate === 0) - Number(a.candidate === 0) ||
      a.length - b.length ||
      a.candidate - b.candidate,
  )[0];
}

/** The candidates on the path from the base to the best one, which comes last; empty if the base is the best. */
export function lineageOf({ tune, candidates }: PromptTuneReport): LeanCandidate[] {
  const byNumber = new Map(candidates.map((one) => [one.candidate, one]));
  const found = new Map<number, LeanCandidate>();
  const left = [tune.best ?? 0];
  for (let number = left.pop(); number !== undefined; number = left.pop()) {
    const one = byNumber.get(number);
    if (number === 0 || !one || found.has(number)) continue;
    found.set(number, one);
    left.push(...one.parents);
  }
  return [...found.values()].sort((a, b) => a.candidate - b.candidate);
}

/** "38.9 % to 61.1 %": the selection scores of its first parent and its own. */
function stepText(step: LeanCandidate, candidates: readonly LeanCandidate[]): string {
  const parent = candidates.find(({ candidate }) => candidate === (step.parents[0] ?? 0));
  return `${percent(parent?.scores.select ?? null)} to ${percent(step.scores.select)}`;
}

const MAX_REASONS = 10;

/**
 * Reasons for rejections, the most frequent first. Reasons that differ only in numbers, quotations or the component are
 * grouped under the first sentence of one of them.
 */
export function rejectionFacts(candidates: readonly LeanCandidate[]): { count: number; texts: string[] } {
  const reasons = new Map<string, { first: string; count: number }>();
  const rejected = candidates.filter(({ state }) => state === 'rejected');
  for (const one of rejected) {
    const text = reasonText(one);
    const key = text
      .replace(/^(?:system_prompt|tools\/\S+): /, '')
      .replace(/".*"/, '""')
      .replace(/\d+(?:\.\d+)?/g, '0');
    const known = reasons.get(key) ?? { first: text, count: 0 };
    known.count++;
    reasons.set(key, known);
  }
  const sorted = [...reasons.values()].sort((a, b) => b.count - a.count);
  const texts = sorted
    .slice(0, MAX_REASONS)
    .map(({ first, count }) => (count === 1 ? `1: ${first}` : `${count}, such as: ${first}`));
  const more = sorted.length - texts.length;
  return { count: rejected.length, texts: more > 0 ? [...texts, `and ${more} other reasons`] : texts };
}

/** Commands to paste: run the best texts, show their changes, and apply them to the suite. */
const promptCommands = (tune: PromptTune): Fact[] =>
  tune.prompt_version_id === null
    ? []
    : [
        ['Run it', promptRunCommand(tune, tune.prompt_version_id)],
        ['Compare it', `toolmark prompts diff ${tune.prompt_version_id}`],
        ['Take it', `toolmark prompts use ${tune.prompt_version_id}`],
      ];

const HEADING = ['candidate', 'step', 'made', 'state', 'score', 'final', 'held out', 'length', 'changed', ''];

/** All candidates that the API lists, each with its measurements and the reason for its rejection, or its change. */
export const candidatesTable = (candidates: readonly LeanCandidate[]): string[] =>
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

/** One candidate in words, shown above its changes. */
export const candidateReport = (one: LeanCandidate): Report => ({
  title: `Candidate ${one.candidate} is ${one.state} (${madeText(one)}).`,
  parts: [
    factsPart([
      ['Score', scoreText(one)],
      ['Final', percent(one.scores.final)],
      ['Held out', percent(one.scores.holdout)],
      ['Length', `${one.length} characters`],
      ...(one.why === null ? [] : [longFact('Why', whyText(one))]),
      ...(one.reason === null ? [] : [longFact(one.state === 'undecided' ? 'Undecided' : 'Rejected', reasonText(one))]),
    ]),
  ],
});

const MAX_NAMED = 5;

/**
 * A line for each generation, or step of a reflection, once it is decided. One that may still get candidates waits: it
 * is decided when the next one begins.
 */
export function newStepLines(): (candidates: readonly LeanCandidate[], isSearching: boolean) => string[] {
  let logged = 0;
  return (candidates, isSearching) => {
    const last = candidates.reduce((most, { iteration }) => Math.max(most, iteration), 0);
    const until = isSearching ? last - 1 : last;
    const lines: string[] = [];
    while (logged < until) {
      logged++;
      const made = candidates.filter(({ iteration }) => iteration === logged);
      if (made.length > 0) lines.push(generationLine(logged, made, candidates));
    }
    return lines;
  };
}

function generationLine(iteration: number, made: readonly LeanCandidate[], all: readonly LeanCandidate[]): string {
  const each = made
    .slice(0, MAX_NAMED)
    .map((one) => `candidate ${one.candidate} (${madeText(one)}: ${changedText(one)}) ${stateText(one.state)}`);
  const more = made.length > MAX_NAMED ? [`${made.length - MAX_NAMED} more`] : [];
  const best = leadingCandidate(all.filter((one) => one.iteration <= iteration));
  const leads = best ? ` Best so far: ${candidateName(best.candidate)}, ${percent(best.scores.select)}.` : '';
  return `step ${iteration}: ${beginning([...each, ...more].join(', '), MAX_TEXT)}.${leads}`;
}
