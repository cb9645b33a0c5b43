import type { ParamPreset, ParamTune, TuneArm } from '#lib/param-tune/contract';
import type { AnyTune } from '../lookup/find-tune.js';
import { spaceText } from '../search-space/space-text.js';
import { needsPromptFile, PROMPT_FILE, runCommand } from './run-command.js';
import { beginning, dollars, table } from './table.js';
import { escapeControls } from './terminal.js';
import {
  armName,
  ARM_HEADING,
  armRow,
  armsOf,
  isDistinct,
  meanText,
  milliseconds,
  OUTCOME_WORDS,
  overallFacts,
  rankArms,
  targetFacts,
  tuneFacts,
  type Fact,
  type TuneReport,
  type TuneTarget,
} from './tune-report.js';

const MAX_ARMS = 30;
const MAX_TEXT = 300;

export const factLines = (facts: readonly Fact[]): string[] =>
  facts.map(([name, text]) => `${name.padEnd(12)} ${text}`);

/** A tune and what it found, for a terminal, line by line. */
export function tuneLines(report: TuneReport): string[] {
  const { tune } = report;
  return [
    `Tune ${tune.id} is ${tune.status} (job ${tune.job_id}).`,
    ...factLines(tuneFacts(tune)),
    ...tune.targets.flatMap((target) => ['', ...targetLines(report, target)]),
    ...(overallFacts(tune).length ? ['', ...factLines(overallFacts(tune))] : []),
    '',
    `All arms: toolmark tunes arms ${tune.id}`,
  ].map(escapeControls);
}

function targetLines(report: TuneReport, target: TuneTarget): string[] {
  const measured = rankArms(armsOf(report, target.target).filter((arm) => isDistinct(arm) && arm.state !== 'waiting'));
  const more = measured.length - MAX_ARMS;
  return [
    target.target,
    ...factLines([...targetFacts(report, target), ...commandFacts(report.tune, target)]),
    ...(measured.length ? ['', ...table([ARM_HEADING, ...measured.slice(0, MAX_ARMS).map(armRow)])] : []),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function commandFacts(tune: ParamTune, { target, recommended }: TuneTarget): Fact[] {
  if (!recommended) return [];
  const command = runCommand(tune, target, recommended.config);
  const file = `${PROMPT_FILE} holds its system prompt: toolmark tunes show ${tune.id} --json prints it`;
  return [['Run it', command], ...(needsPromptFile(command) ? [['', file] as Fact] : [])];
}

/** An arm that is in one of these states is decided, or out. */
const TOLD: TuneArm['state'][] = ['dropped', 'finalist', 'recommended'];

/** Tells of each arm that is dropped or decided, once. */
export function tellArms(): (arms: readonly TuneArm[]) => string[] {
  const told = new Map<string, TuneArm['state']>();
  return (arms) =>
    arms.flatMap((arm) => {
      const key = `${arm.arm} ${arm.target}`;
      if (!TOLD.includes(arm.state) || told.get(key) === arm.state) return [];
      told.set(key, arm.state);
      return [armNews(arm)];
    });
}

function armNews(arm: TuneArm): string {
  const measured = `${meanText(arm)} over ${arm.cases} cases`;
  return `${arm.state}: arm ${armName(arm)} of ${beginning(arm.target, MAX_TEXT)}, ${measured}`;
}

/** All arms that the API lists, each with what it measured. */
export function armsTable(arms: readonly TuneArm[]): string[] {
  const isOne = new Set(arms.map(({ target }) => target)).size === 1;
  return table([
    [...(isOne ? [] : ['model']), ...ARM_HEADING, 'p95', 'cost/case', 'errored', 'same as', ''],
    ...arms.map((arm) => [
      ...(isOne ? [] : [arm.target]),
      ...armRow(arm),
      milliseconds(arm.latency_p95_ms),
      dollars(arm.cost_per_case_usd),
      String(arm.errored),
      arm.same_as === null ? '-' : String(arm.same_as),
      beginning(arm.adjustments.join('; '), MAX_TEXT),
    ]),
  ]);
}

export const tunesTable = (tunes: readonly AnyTune[]): string[] =>
  table([
    ['tune', 'status', 'suite', 'models', 'of', 'mode', 'outcome', 'submitted'],
    ...tunes.map((tune) => {
      const [models, outcomes] =
        tune.type === 'prompt_tune'
          ? [tune.targets, [tune.outcome]]
          : [tune.targets.map(({ target }) => target), tune.targets.map(({ outcome }) => outcome)];
      return [
        tune.id,
        tune.status,
        `${tune.suite_name} v${tune.suite_version}`,
        beginning(models.join(', '), MAX_TEXT),
        tune.type === 'prompt_tune' ? 'prompts' : 'parameters',
        tune.input.mode,
        beginning(outcomes.map((outcome) => (outcome === null ? '-' : OUTCOME_WORDS[outcome])).join(', '), MAX_TEXT),
        tune.created_at,
      ];
    }),
  ]);

export const presetsTable = (presets: readonly ParamPreset[]): string[] =>
  table([
    ['preset', 'name', 'made', 'space'],
    ...presets.map(({ id, name, search_space: space, created_at: at }) => [
      id,
      name,
      at,
      beginning(spaceText(space as Parameters<typeof spaceText>[0]), MAX_TEXT),
    ]),
  ]);
