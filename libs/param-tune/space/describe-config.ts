import type { JsonObject } from '#lib/contracts/json/json';
import { toText } from '#lib/contracts/json/json';

const LONGEST = 200;

/** The values of an arm as text: `temperature 0.2, top_p 1`. */
export function describeConfig(config: JsonObject | null): string {
  const values = Object.entries(config ?? {}).map(([name, value]) => `${name} ${toText(value)}`);
  const text = values.join(', ') || 'the base';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
