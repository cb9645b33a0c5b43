import type { Run } from '#lib/contracts/run';
import { toText, type Json } from '#lib/contracts/json/json';
import { GivenBlock } from '../../parts/given';

/** What a run has when nothing is said; as RunInput has it, whose code is too large for what it would save here. */
const DEFAULTS: Record<string, string> = {
  temperature: '0',
  tool_choice: 'required',
  samples: '1',
  max_tokens: '1024',
  timeout_s: '120',
  params: '{}',
  system_prompt: 'null',
  metrics: '[]',
  case_filter: 'null',
  model_order: 'sequential',
  budget: 'null',
};
const WORDS: Record<string, string> = {
  temperature: 'Temperature',
  tool_choice: 'Tool choice',
  samples: 'Samples',
  max_tokens: 'Longest reply in tokens',
  timeout_s: 'Timeout in seconds',
  params: 'Parameters',
  system_prompt: 'System prompt',
  metrics: 'Further metrics',
  case_filter: 'Cases',
  model_order: 'Order of models',
  budget: 'Budget',
  cache: 'Stored replies',
  recorded: 'Recorded elsewhere',
};
const SHOWN = 20;

const textOf = (value: unknown): string => (value === null ? 'null' : toText(value as Json));
const defaultOf = (key: string, config: Record<string, unknown>): string | undefined => {
  if (key !== 'cache') return DEFAULTS[key];
  return textOf(config.temperature) === '0' && textOf(config.samples) === '1' ? 'use' : 'off';
};

/** The settings that differ from the defaults. */
export function RunSettings({ run: { config } }: { run: Run }) {
  const changed = Object.entries(config)
    .filter(([key, value]) => key in WORDS && value !== null && textOf(value) !== defaultOf(key, config))
    .slice(0, SHOWN);
  if (changed.length === 0) return <p className="muted small">All settings are the defaults.</p>;
  return (
    <dl className="settings">
      {changed.map(([key, value]) => (
        <div key={key}>
          <dt>{WORDS[key]}</dt>
          <dd>
            <GivenBlock text={textOf(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
