import { toText, type Json } from '#lib/contracts/json/json';
import type { JudgeReport } from '#lib/judge/contract';
import { SettingsList } from '../../../../ui/settings-list';

const SETTING_LABELS: Record<string, string> = {
  which: 'Results',
  below: 'Below',
  sample_size: 'Maximum cases',
  samples: 'Judgements per result',
  reference: 'Sees the expectation',
  seed: 'Seed',
  temperature: 'Temperature',
  max_tokens: 'Maximum reply tokens',
  params: 'Parameters',
  budget: 'Budget',
  instructions: 'Instructions',
};

/** Settings without effect in this report are hidden. */
function unusedSettings({ input, baseline_eval_id: baseline }: JudgeReport): string[] {
  if (baseline !== null) return ['which', 'below'];
  return input.which === 'failed' ? ['sample_size'] : ['below', ...(input.which === 'all' ? ['sample_size'] : [])];
}

const isEmpty = (value: unknown): boolean =>
  value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

const settingText = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : toText(value as Json);

/** The settings of the report. */
export function ReportSettings({ report }: { report: JudgeReport }) {
  const asked: Record<string, unknown> = report.input;
  const unused = unusedSettings(report);
  const settings = Object.entries(SETTING_LABELS)
    .filter(([key]) => !isEmpty(asked[key]) && !unused.includes(key))
    .map(([key, words]): [string, string] => [words, settingText(asked[key])]);
  return (
    <details>
      <summary>Settings</summary>
      <SettingsList settings={settings} />
    </details>
  );
}
