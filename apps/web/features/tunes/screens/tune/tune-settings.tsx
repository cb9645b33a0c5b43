import { toText, type Json } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { SettingsList } from '../../../../ui/settings-list';

const WORDS: Record<string, string> = {
  mode: 'Mode',
  trials: 'Trials',
  measure: 'Measure',
  margin: 'Margin',
  samples: 'Samples',
  holdout: 'Held-out share',
  seed: 'Seed',
  search_space: 'Search space',
  per_model_search_spaces: 'Per-model search spaces',
  base: 'Base',
  budget: 'Budget',
  cache: 'Stored replies',
};

const isEmpty = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && Object.keys(value).length === 0);

/** The settings of the tune. */
export function TuneSettings({ tune: { input } }: { tune: ParamTune }) {
  const asked: Record<string, unknown> = input;
  const shown = Object.entries(WORDS).filter(
    ([key]) => !isEmpty(asked[key]) && (key !== 'trials' || asked.mode === 'random'),
  );
  return <SettingsList settings={shown.map(([key, words]) => [words, toText(asked[key] as Json)])} />;
}
