import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { DeltaObstacle } from '#lib/contracts/comparison';
import type { BestRun, TimelineEntry } from '#lib/contracts/experiment';
import { settingInWords, settingName } from '../../../runs/parts/setting-words.js';
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

/** Settings of the best run by name, without its models, in plain texts; null for a recorded run. */
export function bestSettings(config: BestRun['config']): [name: string, text: string][] | null {
  if (!config) return null;
  const { models: _, ...settings } = config;
  return Object.entries(settings as JsonObject)
    .filter(([, value]) => isSaid(value))
    .map(([name, value]) => [settingName(name), settingInWords(name, value)]);
}

const isSaid = (value: Json | undefined): boolean =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);
