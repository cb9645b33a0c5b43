import type { Json } from '#lib/contracts/json/json';
import type { DeltaObstacle } from '#lib/contracts/comparison';
import type { BestRun, TimelineEntry } from '#lib/contracts/experiment';
import { configInWords, settingInWords } from '../../../runs/parts/setting-words.js';
import { deltaText } from '../../../../ui/figures/delta.js';

const NO_DELTA_REASONS: Record<DeltaObstacle, string> = { targets: 'other models', cases: 'too few common cases' };

type Entry = Pick<TimelineEntry, 'delta' | 'differs' | 'comparison' | 'is_baseline'>;

const points = (share: number): string => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)}`;

/**
 * How a run differs from the baseline. The delta is of scores, the difference of the experiment's measure: where they
 * are the same, only one is shown.
 */
export function deltaFromBaselineText({ delta, differs, comparison, is_baseline: isBaseline }: Entry): string {
  if (isBaseline) return 'the baseline';
  const none = `no delta (${differs.map((why) => NO_DELTA_REASONS[why]).join(', ')})`;
  if (!comparison) return differs.length > 0 ? none : 'not compared';
  const { difference, ci } = comparison;
  if (difference === null) return differs.length > 0 ? none : '';
  const compared = deltaText({ difference, interval: ci });
  if (delta === null) return differs.length > 0 ? `${none}; over the common cases ${compared}` : compared;
  return points(delta) === points(difference) ? compared : `${points(delta)} points of score; compared ${compared}`;
}

const SETTINGS = ['samples', 'temperature', 'tool_choice', 'max_tokens'] as const;

/** The best settings found, in words; null for a recorded run, which cannot be repeated. */
export function bestSettingsText(config: BestRun['config']): string | null {
  if (!config) return null;
  const { params, system_prompt: prompt, base_prompt: base, tool_overrides: overrides, metrics } = config;
  return [
    ...SETTINGS.filter((name) => config[name] != null).map((name) =>
      configInWords({ [name]: config[name] as Json }, ''),
    ),
    ...(Object.keys(params ?? {}).length > 0 ? [configInWords(params as Json, '')] : []),
    ...(prompt ? ['its own system prompt'] : []),
    ...(base == null ? [] : ["a prompt instead of the suite's"]),
    ...(Object.keys(overrides ?? {}).length > 0 ? ['its own tool descriptions'] : []),
    ...((metrics?.length ?? 0) > 0 ? [`metrics ${settingInWords('metrics', metrics as Json)}`] : []),
  ].join(', ');
}
