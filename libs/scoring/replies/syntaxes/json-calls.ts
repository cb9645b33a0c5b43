import type { Json } from '#lib/contracts/json/json';
import { callsOfValue } from '../call-shape.js';
import { jsonOf, jsonValuesIn, type MarkedText, type CallsInSyntax, type WrittenCall } from './syntax.js';

const NAME = /"(?:name|tool_name|tool|function)"\s*:\s*"([^"\\]{1,200})"/;

/**
 * Reads a section with calls as JSON. A section that starts like JSON but has no readable call is a malformed call.
 * @param ends each of them ends the section
 */
export function readJsonCalls(text: MarkedText, at: number, ends: readonly string[]): CallsInSyntax | undefined {
  const end = text.findFirst(ends, at);
  const calls = jsonCallsIn(text.text.slice(at, end));
  return calls && { calls, end };
}

export function jsonCallsIn(section: string): WrittenCall[] | undefined {
  const json = section.trim();
  if (!/^[[{]/.test(json)) return undefined;
  const whole = jsonOf(json);
  const values: Json[] = whole === undefined ? jsonValuesIn(json) : [whole];
  const calls = values.flatMap((value) => callsOfValue(value) ?? []);
  if (calls.length > 0) return calls;
  if (whole !== undefined) return undefined;
  return [{ name: NAME.exec(json.slice(0, 2000))?.[1] ?? '', arguments: json }];
}
