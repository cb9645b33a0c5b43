import { toText, type Json } from '#lib/contracts/json/json';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { ComponentTexts } from '../../../prompts/parts/component-texts';
import { SettingsList } from '../../../../ui/settings-list';

/** The numeric settings of each mode. */
const OF_MODE: Record<string, string[]> = {
  quick: ['variants'],
  evolutionary: ['population', 'generations', 'selection_ratio'],
  reflective: ['minibatch', 'max_evals'],
};
const WORDS: Record<string, string> = {
  mode: 'Mode',
  components: 'Texts to tune',
  variants: 'Variants',
  population: 'Population',
  generations: 'Generations',
  selection_ratio: 'Parents',
  minibatch: 'Cases per reflection',
  max_evals: 'Maximum evaluations',
  max_growth: 'Growth',
  measure: 'Measure',
  margin: 'Margin',
  samples: 'Samples',
  holdout: 'Held-out share',
  seed: 'Seed',
  temperature: 'Temperature',
  tool_choice: 'Tool choice',
  max_tokens: 'Maximum reply tokens',
  params: 'Parameters',
  meta_params: 'Meta model requests',
  budget: 'Budget',
  cache: 'Stored replies',
};
const NUMBERS = new Set(Object.values(OF_MODE).flat());

const isEmpty = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && Object.keys(value).length === 0);

const shownAs = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : toText(value as Json));

/** The settings of a tune, and the texts it started from. */
export function PromptTuneSettings({ tune: { input, base, targets } }: { tune: PromptTune }) {
  const asked: Record<string, unknown> = input;
  const ofMode = OF_MODE[input.mode] ?? [];
  const shown = Object.entries(WORDS).filter(
    ([key]) => !isEmpty(asked[key]) && (!NUMBERS.has(key) || ofMode.includes(key)),
  );
  const settings = shown.map(([key, words]): [string, string] => [words, shownAs(asked[key])]);
  return (
    <>
      <SettingsList settings={[['Models', targets.join('\n')], ...settings]} />
      <details>
        <summary>Starting texts</summary>
        <ComponentTexts texts={base} />
      </details>
    </>
  );
}
