import type { CaseInput } from '#lib/contracts/case';
import type { Tool } from '#lib/contracts/tool';
import { seededRandom } from '../statistics/seeded-random.js';

const nameOf = (tool: Tool): string => tool.function.name.toLowerCase();

/**
 * The tools that a case is played with: its own, those of the suite that it names, or all of the suite. With
 * `distractors`: the tools that it needs plus that many others of the suite, drawn and shuffled by seed.
 */
export function toolSetOf(input: CaseInput, suite: readonly Tool[]): readonly Tool[] {
  const byName = new Map(suite.map((tool) => [nameOf(tool), tool]));
  const chosen = input.tools?.flatMap((tool) =>
    typeof tool === 'string' ? (byName.get(tool.toLowerCase()) ?? []) : [tool],
  );
  if (input.distractors === undefined) return chosen ?? suite;
  const needed = chosen ?? suite.filter((tool) => namesNeeded(input).has(nameOf(tool)));
  const taken = new Set(needed.map(nameOf));
  const { count, seed } =
    typeof input.distractors === 'number' ? { count: input.distractors, seed: 0 } : input.distractors;
  const random = seededRandom(seed);
  const others = shuffled(
    suite.filter((tool) => !taken.has(nameOf(tool))),
    random,
  ).slice(0, count);
  return shuffled([...needed, ...others], random);
}

/**
 * The lower-case names of the tools that a case expects, forbids, allows as prerequisites, or mocks. Of a conversation
 * also those that have rules.
 */
function namesNeeded(input: CaseInput): Set<string> {
  const expected = input.expected_calls?.flatMap((call) => call.tool) ?? [input.expected_tool ?? []].flat();
  const { tools = {}, goal } = input.conversation ?? {};
  const ofGoal = [...(goal?.calls ?? []), ...(goal?.forbidden_calls ?? [])].flatMap((call) => call.tool);
  return new Set(
    [
      ...expected,
      ...ofGoal,
      ...Object.keys(tools),
      ...(input.valid_prerequisites ?? []),
      ...Object.keys(input.mock_responses ?? {}),
    ].map((name) => name.toLowerCase()),
  );
}

/** Fisher-Yates shuffle. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
