import type { ParsedCall } from '#lib/contracts/verdict';

/** What a case expects: one call, several, or none. */
interface Expectation {
  tool?: unknown;
  params?: unknown;
  calls?: readonly unknown[] | null;
  /** Of a conversation. */
  goal?: unknown;
}

/** The expectation of a case, on one line. */
export function expectedText({ tool, params, calls, goal }: Expectation): string {
  if (goal && !calls?.length) return JSON.stringify(goal);
  const expected = (calls ?? (tool == null ? [] : [{ tool, params }])) as { tool: unknown; params?: unknown }[];
  const each = expected.map((call) => {
    const names = [call.tool].flat().join(' or ');
    return call.params == null ? `${names} with any arguments` : `${names}(${argumentsText(call.params)})`;
  });
  return each.length ? each.join(', ') : 'no call';
}

/** The calls of a model, on one line. */
export const calledText = (called: readonly ParsedCall[]): string =>
  called.length
    ? called
        .map(({ name, arguments: given, raw }) => `${name}(${given ? argumentsText(given) : (raw ?? '')})`)
        .join(', ')
    : 'no call';

const argumentsText = (given: unknown): string => JSON.stringify(given).slice(1, -1);
