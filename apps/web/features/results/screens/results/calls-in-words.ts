import type { Result } from '../../api/results';

const MAX_NAMES = 5;

const listed = (names: readonly string[]): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
    : names.join(', ');

const toolText = (tool: unknown): string =>
  Array.isArray(tool) ? tool.map(String).join(' or ') : typeof tool === 'string' ? tool : 'no call';

/** The tools that a case expects: "get_weather", "get_time or get_weather", "no call". */
export function expectedInWords({ expected: { tool, calls } }: Pick<Result, 'expected'>): string {
  if (!calls) return toolText(tool);
  return calls.length === 0 ? 'no call' : listed(calls.map((call) => toolText((call as { tool?: unknown }).tool)));
}

/** The tools that a reply calls, or why there is no reply. */
export function calledInWords({ called, error }: Pick<Result, 'called' | 'error'>): string {
  if (error) return error.kind.replaceAll('_', ' ');
  return called.length === 0 ? 'no call' : listed(called.map(({ name }) => name));
}
