import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamPreset, ParamTune, TuneArm } from '#lib/param-tune/contract';
import type { TuneOutcome } from '#lib/tuning/contract';
import type { AnyTune } from '../lookup/find-tune.js';
import { fact, factsPart, heading, listOf, MAX_TEXT, longFact, text } from '../output/report.js';
import type { Fact, Part, Report } from '../output/report.js';
import { needsPromptFile, PROMPT_FILE, runCommand } from '../output/run-command.js';
import { beginning, dollars, milliseconds, percent, measureText, shareText, table } from '../output/table.js';
import { spaceText, configText } from '../search-space/space-text.js';

/** The displayed data of a parameter tune. Outcomes are the server's own sentences. */
export interface TuneReport {
  tune: ParamTune;
  /** Of all models. */
  arms: readonly TuneArm[];
}
type TuneTarget = ParamTune['targets'][number];

const MAX_CONFIG = 200;
const MAX_RUNG = 20;

const OUTCOME_WORDS: Record<TuneOutcome, string> = {
  confirmed: 'confirmed',
  not_confirmed: 'not confirmed',
  worse: 'worse than the base',
  unconfirmed: 'unconfirmed',
  base: 'the base is best',
};

export const STEP_WORDS: Record<string, string> = {
  search: 'Searching',
  holdout: 'Confirming',
  promote: 'Running the winner',
  done: 'Done',
};

const STATES: TuneArm['state'][] = ['recommended', 'finalist', 'running', 'dropped', 'waiting'];

/** The best first: by how far they got, then by their measurements. */
export const rankArms = (arms: readonly TuneArm[]): TuneArm[] =>
  arms.toSorted(
    (a, b) =>
      STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
      (a.state === 'dropped' ? b.cases - a.cases : 0) ||
      (b.mean ?? -1) - (a.mean ?? -1) ||
      a.arm - b.arm,
  );

export const armsOf = ({ arms }: TuneReport, target: string): TuneArm[] => arms.filter((arm) => arm.target === target);

/** Whether an arm is measured itself, rather than through another that makes the same requests. */
export const isDistinct = ({ same_as: other }: TuneArm): boolean => other === null;

const armConfig = ({ config }: Pick<TuneArm, 'config'>): string => beginning(configText(config), MAX_CONFIG);

export const armName = (arm: TuneArm): string => `${arm.arm} ${armConfig(arm)}`;

export const ARM_HEADING = ['arm', 'configuration', 'state', 'rung', 'cases', 'mean (95 %)', 'cost', 'p50'];

/** A row of the table of arms while they are measured. */
export const armRow = (arm: TuneArm): string[] => [
  arm.arm === 0 ? '0 base' : String(arm.arm),
  armConfig(arm),
  arm.state,
  beginning(arm.rung ?? '-', MAX_RUNG),
  String(arm.cases),
  shareText(arm.mean, arm.ci),
  dollars(arm.cost_usd),
  milliseconds(arm.latency_p50_ms),
];

/** Arms with all their measurements. */
function armCells(arms: readonly TuneArm[]): string[][] {
  const isOne = new Set(arms.map(({ target }) => target)).size === 1;
  return [
    [...(isOne ? [] : ['model']), ...ARM_HEADING, 'p95', 'cost/case', 'errored', 'same as', 'adjustments'],
    ...arms.map((arm) => [
      ...(isOne ? [] : [arm.target]),
      ...armRow(arm),
      milliseconds(arm.latency_p95_ms),
      dollars(arm.cost_per_case_usd),
      String(arm.errored),
      arm.same_as === null ? '-' : String(arm.same_as),
      beginning(arm.adjustments.join('; '), MAX_TEXT),
    ]),
  ];
}

export const armsTable = (arms: readonly TuneArm[]): string[] => table(armCells(arms));

const MAX_ARMS = 30;

export const tuneReport = (report: TuneReport): Report => ({
  title: `Tune ${report.tune.id} is ${report.tune.status} (job ${report.tune.job_id}).`,
  parts: [
    factsPart([...tuneFacts(report.tune), ...overallFacts(report.tune)]),
    ...report.tune.targets.flatMap((target) => targetParts(report, target)),
    text(`All arms: toolmark tunes arms ${report.tune.id}`),
  ],
});

function targetParts(report: TuneReport, target: TuneTarget): Part[] {
  const arms = armsOf(report, target.target);
  const measured = rankArms(arms.filter((arm) => isDistinct(arm) && arm.state !== 'waiting'));
  const [dropped, kept] = [true, false].map((is) => measured.filter(({ state }) => (state === 'dropped') === is));
  const same = arms.filter((arm) => !isDistinct(arm));
  return [
    heading(`${target.target}: ${target.outcome === null ? 'no answer' : OUTCOME_WORDS[target.outcome]}`),
    factsPart(targetFacts(report, target)),
    ...commandParts(report.tune, target),
    { kind: 'table', caption: 'Arms', cells: armCells(kept!), most: MAX_ARMS },
    {
      ...{ kind: 'table', caption: 'Dropped arms', cells: armCells(dropped!), most: MAX_ARMS },
      folded: `Dropped arms: ${dropped!.length}`,
    },
    {
      kind: 'list',
      folded: `Arms that make the same requests as another: ${same.length}`,
      items: [
        ...same.slice(0, MAX_ARMS).map((arm) => `Arm ${armName(arm)} makes the requests of arm ${arm.same_as}`),
        ...(same.length > MAX_ARMS ? [`and ${same.length - MAX_ARMS} more`] : []),
      ],
    },
  ];
}

function commandParts(tune: ParamTune, { target, recommended }: TuneTarget): Part[] {
  if (!recommended) return [];
  const command = runCommand(tune, target, recommended.config);
  const file = `${PROMPT_FILE} holds its system prompt: toolmark tunes show ${tune.id} --json prints it`;
  return [
    { kind: 'commands', commands: [['Run it', command]], elsewhere: `toolmark tunes show ${tune.id}` },
    ...(needsPromptFile(command) ? [text(file)] : []),
  ];
}

/** The settings, each under a heading, in reading order. */
function tuneFacts({ suite_name: suite, suite_version: version, input, ...tune }: ParamTune): Fact[] {
  const { search_space: space, per_model_search_spaces: own, base } = input;
  const { temperature, tool_choice, max_tokens, params } = base;
  const how = input.mode === 'random' ? `random, ${input.trials} combinations per model` : input.mode;
  const held = tune.cases.holdout === 0 ? 'none held out' : `${tune.cases.holdout} held out to confirm`;
  return [
    ...(tune.name === null ? [] : [fact('Name', tune.name)]),
    ['Suite', `${beginning(suite, MAX_TEXT)} v${version}`],
    ...(Object.keys(space).length ? [fact('Searched', spaceText(space as JsonObject))] : []),
    ...Object.entries(own).map(([model, one]) => fact('Searched', `${model}: ${spaceText(one as JsonObject)}`)),
    fact('Base', configText({ temperature, tool_choice, ...(max_tokens != null && { max_tokens }), ...params })),
    ['How', `${how}, seed ${input.seed}, ${measureText(input)}`],
    ['Cases', `${tune.cases.tuning} for the search, ${held}`],
    ['Requests', `${tune.planned_requests} planned`],
    ...tune.notes.map((note) => longFact('Note', note)),
  ];
}

/** The outcome for a model. */
function targetFacts(report: TuneReport, target: TuneTarget): Fact[] {
  const { recommended, holdout } = target;
  const arms = armsOf(report, target.target);
  const tied = arms.filter(({ arm }) => target.tied.includes(arm) && arm !== recommended?.arm);
  const errored = arms.filter((arm) => arm.errored > 0);
  return [
    ['Recommended', recommended ? `arm ${armName(recommended)}` : 'nothing yet'],
    ...(recommended
      ? [fact('Mean', `${shareText(recommended.mean, recommended.ci)} over ${recommended.cases} cases`)]
      : []),
    ...(target.text === null ? [] : [longFact(holdout ? 'Held out' : 'Outcome', target.text)]),
    ...(tied.length ? [longFact('As good', listOf(rankArms(tied).map(armName)))] : []),
    ...notAcceptedFacts(arms, recommended),
    ['Arms', countsText(target, arms)],
    ...(errored.length
      ? [longFact('Errored', listOf(errored.map((arm) => `${arm.errored} in arm ${armName(arm)}`)))]
      : []),
  ];
}

/** Parameters of the arms that the provider did not accept, those of the recommended arm first. */
function notAcceptedFacts(arms: readonly TuneArm[], recommended: TuneArm | null): Fact[] {
  const counts = new Map<string, number>((recommended?.adjustments ?? []).map((text) => [text, 0]));
  for (const text of arms.flatMap(({ adjustments }) => adjustments)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const texts = [...counts].map(([text, count]) => `${beginning(text, MAX_TEXT)} (${count} of ${arms.length} arms)`);
  return texts.length ? [longFact('Not accepted', listOf(texts))] : [];
}

function countsText({ arms: all, distinct }: TuneTarget, arms: readonly TuneArm[]): string {
  const count = (state: TuneArm['state']): number =>
    arms.filter((arm) => arm.state === state && isDistinct(arm)).length;
  const others: [number: number, what: string][] = [
    [all - distinct, 'make the same requests as another'],
    [count('dropped'), 'dropped'],
    [count('waiting'), 'not tried'],
  ];
  const named = others.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return [`${all} with the base`, ...named].join(', ');
}

/** The outcome for all models together. */
function overallFacts({ best_over_models: best, promoted_eval_id: promoted }: ParamTune): Fact[] {
  return [
    ...best.map((one) => fact('All models', `${percent(one.mean)} with arm ${one.arm} ${armConfig(one)}`)),
    ...(promoted === null ? [] : [fact('Promoted', `run ${promoted} of the experiment`)]),
  ];
}

/** An arm in one of these states is decided, or out. */
const DECIDED: TuneArm['state'][] = ['dropped', 'finalist', 'recommended'];

/** A line for each arm that is dropped or decided, once. */
export function newArmLines(): (arms: readonly TuneArm[]) => string[] {
  const logged = new Map<string, TuneArm['state']>();
  return (arms) =>
    arms.flatMap((arm) => {
      const key = `${arm.arm} ${arm.target}`;
      if (!DECIDED.includes(arm.state) || logged.get(key) === arm.state) return [];
      logged.set(key, arm.state);
      const measured = `${shareText(arm.mean, arm.ci)} over ${arm.cases} cases`;
      return [`${arm.state}: arm ${armName(arm)} of ${beginning(arm.target, MAX_TEXT)}, ${measured}`];
    });
}

export const tunesTable = (tunes: readonly AnyTune[]): string[] =>
  table([
    ['tune', 'name', 'status', 'suite', 'models', 'kind', 'mode', 'outcome', 'submitted'],
    ...tunes.map((tune) => {
      const [models, outcomes] =
        tune.type === 'prompt_tune'
          ? [tune.targets, [tune.outcome]]
          : [tune.targets.map(({ target }) => target), tune.targets.map(({ outcome }) => outcome)];
      return [
        tune.id,
        beginning(tune.name ?? '-', MAX_TEXT),
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
    ['preset', 'name', 'created', 'space'],
    ...presets.map(({ id, name, search_space: space, created_at: at }) => [
      id,
      name,
      at,
      beginning(spaceText(space as Parameters<typeof spaceText>[0]), MAX_TEXT),
    ]),
  ]);
