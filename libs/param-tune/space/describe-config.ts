import type { JsonObject } from '#lib/contracts/json/json';
import { toText } from '#lib/contracts/json/json';

const LONGEST = 200;

const NAMES: Record<string, string> = { tool_choice: 'tool choice', max_tokens: 'token limit' };

/** The values of an arm as text: `temperature 0.2, tool choice auto, top_p 1`. */
export function describeConfig(config: JsonObject | null): string {
  const values = Object.entries(config ?? {}).map(([name, value]) =>
    name === 'max_tokens' && value === null ? 'no token limit' : `${NAMES[name] ?? name} ${toText(value)}`,
  );
  const text = values.join(', ') || 'the base';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
