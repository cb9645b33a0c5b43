import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { seededRandom } from '../statistics/seeded-random.js';

/**
 * Stands in a stored request for the tools of its case, which the suite's version has: they would be most of its
 * bytes.
 */
export const TOOLS_PLACEHOLDER = '(the tools of the case)';

/**
 * Stands in a stored request of a chain for the messages of the request before, which would be stored with every
 * round.
 */
export const EARLIER_MESSAGES_PLACEHOLDER = '(the messages of the request before)';

/** Stored requests as they were made. */
export function restoreRequests(requests: readonly JsonObject[], tools: Json): JsonObject[] {
  let before: Json[] = [];
  return requests.map((request) => {
    const messages = Array.isArray(request.messages) ? request.messages : [];
    const whole = messages[0] === EARLIER_MESSAGES_PLACEHOLDER ? [...before, ...messages.slice(1)] : messages;
    before = whole;
    return {
      ...request,
      ...(Array.isArray(request.messages) && { messages: whole }),
      ...(request.tools === TOOLS_PLACEHOLDER && { tools }),
    };
  });
}

const nameOf = (tool: Tool): string => tool.function.name.toLowerCase();

/**
 * The tools that a case is played with: its own, or those of the suite that it names, or all of the suite; with
 * `distractors` those that it needs and so many others of the suite, drawn and shuffled by seed.
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

/** What a case expects, may call on the way, or has an answer for; compared ignoring case. */
function namesNeeded(input: CaseInput): Set<string> {
  const expected = input.expected_calls?.flatMap((call) => call.tool) ?? [input.expected_tool ?? []].flat();
  return new Set(
    [...expected, ...(input.valid_prerequisites ?? []), ...Object.keys(input.mock_responses ?? {})].map((name) =>
      name.toLowerCase(),
    ),
  );
}

/** Fisher-Yates. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
