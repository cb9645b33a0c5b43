import type { CaseInput } from '#lib/contracts/case';
import type { McpSyncAnswer } from '#lib/contracts/mcp';
import type { Tool } from '#lib/contracts/tool';

type Diff = Pick<McpSyncAnswer, 'added' | 'removed' | 'changed'>;

/**
 * Compares a suite's tools with the current tools of its server. `toolNamesUsed` tells which cases each difference
 * affects.
 * @param known all tools of the server at the last discovery; those that the suite lacks were not wanted, so they do
 *   not count as added
 * @param unusable tools that the server lists in an unusable form; the suite keeps its own
 */
export function compareTools(
  suite: readonly Tool[],
  known: readonly string[],
  now: readonly Tool[],
  unusable: readonly string[],
): Diff {
  const suiteTools = new Map(suite.map((tool) => [tool.function.name.toLowerCase(), tool]));
  const names = new Set([...now.map((tool) => tool.function.name), ...unusable].map((name) => name.toLowerCase()));
  const knownNames = new Set(known.map((name) => name.toLowerCase()));
  return {
    added: now
      .filter(({ function: { name } }) => !suiteTools.has(name.toLowerCase()) && !knownNames.has(name.toLowerCase()))
      .map((tool) => ({ name: tool.function.name, tool })),
    removed: suite
      .filter(({ function: { name } }) => knownNames.has(name.toLowerCase()) && !names.has(name.toLowerCase()))
      .map(({ function: { name } }) => ({ name, cases: [] })),
    changed: now.flatMap((after) => {
      const before = suiteTools.get(after.function.name.toLowerCase());
      if (!before) return [];
      const fields = (['description', 'parameters', 'annotations'] as const).filter(
        (field) => canonical(fieldOf(before, field)) !== canonical(fieldOf(after, field)),
      );
      return fields.length ? [{ name: before.function.name, fields, before, after, cases: [] }] : [];
    }),
  };
}

/**
 * Applies the difference to the suite's tools. They keep their order, new tools come last, and manually added tools
 * stay unchanged.
 */
export function applyDiff(suite: readonly Tool[], { added, removed, changed }: Diff, keepRemoved: boolean): Tool[] {
  const gone = new Set(keepRemoved ? [] : removed.map(({ name }) => name));
  const after = new Map(changed.map((one) => [one.name, one.after]));
  return [
    ...suite.filter((tool) => !gone.has(tool.function.name)).map((tool) => after.get(tool.function.name) ?? tool),
    ...added.map(({ tool }) => tool),
  ];
}

const fieldOf = (tool: Tool, field: 'description' | 'parameters' | 'annotations'): unknown =>
  field === 'annotations' ? tool.annotations : tool.function[field];

/** The order of keys does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !('rawJSON' in inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';

/** The suite's tools that a case names, in lower case. */
export function toolNamesUsed({
  expected_tool,
  expected_calls,
  valid_prerequisites,
  mock_responses,
  tools,
  conversation,
}: CaseInput): Set<string> {
  const used = [
    expected_tool ?? [],
    expected_calls?.flatMap((call) => call.tool) ?? [],
    valid_prerequisites ?? [],
    Object.keys(mock_responses ?? {}),
    tools?.filter((tool) => typeof tool === 'string') ?? [],
    [...(conversation?.goal.calls ?? []), ...(conversation?.goal.forbidden_calls ?? [])].flatMap((call) => call.tool),
    Object.keys(conversation?.tools ?? {}),
  ].flat();
  return new Set(used.map((name) => name.toLowerCase()));
}
