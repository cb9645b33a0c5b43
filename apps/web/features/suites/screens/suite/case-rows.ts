import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { StoredCase } from '../../api/suites';

/** The prompt of a case, or its last user message. */
export function promptOf(stored: StoredCase): string {
  if (typeof stored.prompt === 'string') return stored.prompt;
  if (!Array.isArray(stored.messages)) return '';
  const last = stored.messages.findLast((message) => isObject(message) && message.role === 'user');
  return isObject(last) ? toText(last.content) : '';
}

const names = (tool: Json | undefined): string =>
  Array.isArray(tool) ? tool.map((name) => toText(name)).join(' or ') : toText(tool);

/** "get_weather", "get_weather or get_forecast", "get_weather, then book", "no call". */
export function expectedOf(stored: StoredCase): string {
  if (Array.isArray(stored.expected_calls) && stored.expected_calls.length > 0) {
    const calls = stored.expected_calls.map((call) => (isObject(call) ? names(call.tool) : ''));
    return calls.join(stored.call_order === 'strict' ? ', then ' : ' and ');
  }
  return names(stored.expected_tool) === 'null' ? 'no call' : names(stored.expected_tool) || 'no call';
}

export const tagsOf = (stored: StoredCase): string[] =>
  Array.isArray(stored.tags) ? stored.tags.map((tag) => toText(tag)) : [];
