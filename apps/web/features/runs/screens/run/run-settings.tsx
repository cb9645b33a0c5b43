import { toText, type Json } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { changedSettings } from '../../parts/changed-settings';
import { SettingsList } from '../../../../ui/settings-list';

const WORDS: Record<string, string> = {
  temperature: 'Temperature',
  tool_choice: 'Tool choice',
  samples: 'Samples',
  max_tokens: 'Maximum reply tokens',
  timeout_s: 'Timeout in seconds',
  params: 'Parameters',
  system_prompt: 'System prompt',
  base_prompt: "Instead of the suite's system prompt",
  tool_overrides: 'Tool descriptions',
  prompt_version_id: 'Prompt version',
  metrics: 'Additional metrics',
  case_filter: 'Cases',
  model_order: 'Model order',
  budget: 'Budget',
  cache: 'Stored replies',
  prompt_cache: 'Provider cache',
  recorded: 'Recorded elsewhere',
};
const SHOWN = 20;

/** The settings that differ from the defaults. */
export function RunSettings({ run: { config } }: { run: Run }) {
  const changed = changedSettings(config).slice(0, SHOWN);
  if (changed.length === 0) return <p className="muted small">All settings are defaults.</p>;
  return <SettingsList settings={changed.map(([key, value]) => [WORDS[key] ?? key, toText(value as Json)])} />;
}
