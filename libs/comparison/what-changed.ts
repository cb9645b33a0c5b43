import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { Change } from '#lib/contracts/comparison';
import type { JsonObject } from '#lib/contracts/json/json';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { RecordedConfig, RunConfig } from '#lib/contracts/run-input';
import type { Tool } from '#lib/contracts/tool';
import { collectChanges, compareDefaults, compareKeys, compareTools, type Compare } from './differences.js';
import type { TargetPair } from './measurements.js';

/** How a run was made: the possible causes of a difference. */
export interface RunTreatment {
  id?: string;
  config: RunConfig | RecordedConfig;
  targets: { target: string; params: JsonObject; systemPrompt: string | null }[];
  suite: {
    id: string;
    version: number;
    systemPrompt: string | null;
    tools: Tool[];
    passThreshold: number;
    conversation: ConversationDefaults | null;
  };
  /** The options of the rescore whose verdicts are compared; null for the first verdicts. */
  rescore: RescoreOptions | null;
  /** The versions of the scoring that produced the verdicts; several after a resume with a later release. */
  scoringVersions: number[];
  /** What models refused and how it was sent instead, as sentences. */
  sentOtherwise?: readonly string[];
}

const SETTINGS = ['temperature', 'tool_choice', 'samples', 'timeout_s', 'case_filter'] as const;
const isRecorded = ({ config }: RunTreatment): boolean => 'recorded' in config;

/**
 * The settings that differ between two runs. Long texts are cut to where they begin to differ.
 * @param pairs the compared targets
 */
export function whatChanged(a: RunTreatment, b: RunTreatment, pairs: readonly TargetPair[]): Change[] {
  return collectChanges((compare) => {
    compareModels(compare, a, b, pairs);
    for (const key of SETTINGS) compare([key], a.config[key], b.config[key]);
    // Null means no limit, or an unknown one for a recorded run.
    if (!isRecorded(a) && !isRecorded(b)) compare(['max_tokens'], a.config.max_tokens, b.config.max_tokens);
    compareKeys(compare, ['params'], a.config.params, b.config.params);
    comparePrompts(compare, a, b, pairs);
    compare(['base_prompt'], a.config.base_prompt, b.config.base_prompt);
    compareKeys(compare, ['tool_overrides'], a.config.tool_overrides ?? {}, b.config.tool_overrides ?? {});
    compareSuites(compare, a.suite, b.suite);
    compare(['metrics'], (a.rescore ?? a.config).metrics, (b.rescore ?? b.config).metrics);
    compare(['pass_threshold'], passThresholdOf(a), passThresholdOf(b));
    for (const key of ['param_scoring', 'scoring_config'] as const) compare([key], a.rescore?.[key], b.rescore?.[key]);
    compare(['scoring_version'], versionsOf(a), versionsOf(b));
  });
}

export const passThresholdOf = ({ rescore, suite }: RunTreatment): number =>
  rescore?.pass_threshold ?? suite.passThreshold;
const versionsOf = ({ scoringVersions: versions }: RunTreatment): number | number[] | undefined =>
  versions.length > 1 ? [...versions].sort((a, b) => a - b) : versions[0];

function compareModels(compare: Compare, a: RunTreatment, b: RunTreatment, pairs: readonly TargetPair[]): void {
  const names = ({ targets }: RunTreatment): string[] => targets.map((one) => one.target);
  const isRenamed = pairs.some((pair) => pair.a !== pair.b);
  if (isRenamed)
    compare(
      ['models'],
      pairs.map((pair) => pair.a),
      pairs.map((pair) => pair.b),
    );
  // Models run independently of each other, so their order does not matter.
  else if (names(a).sort().join() !== names(b).sort().join()) compare(['models'], names(a), names(b));
  for (const pair of pairs)
    compareKeys(
      compare,
      ['models', pair.b, 'params'],
      targetOf(a, pair.a)?.params ?? {},
      targetOf(b, pair.b)?.params ?? {},
    );
}

const targetOf = ({ targets }: RunTreatment, name: string) => targets.find((one) => one.target === name);

/** The prompts of the runs, whether one for all models, or one for each. */
function comparePrompts(compare: Compare, a: RunTreatment, b: RunTreatment, pairs: readonly TargetPair[]): void {
  const prompts = pairs.map((pair) => ({
    target: pair.b,
    a: targetOf(a, pair.a)?.systemPrompt ?? null,
    b: targetOf(b, pair.b)?.systemPrompt ?? null,
  }));
  const [first] = prompts;
  const isOne = prompts.every((one) => one.a === first!.a && one.b === first!.b);
  if (first && isOne) return compare(['system_prompt'], first.a, first.b);
  for (const { target, ...prompt } of prompts) compare(['system_prompt', target], prompt.a, prompt.b);
}

function compareSuites(compare: Compare, a: RunTreatment['suite'], b: RunTreatment['suite']): void {
  compare(['suite', 'id'], a.id, b.id);
  if (a.id === b.id) compare(['suite', 'version'], a.version, b.version);
  compare(['suite', 'system_prompt'], a.systemPrompt, b.systemPrompt);
  compareTools(compare, ['suite', 'tools'], a.tools, b.tools);
  compareDefaults(compare, ['suite', 'conversation'], a.conversation, b.conversation);
}
