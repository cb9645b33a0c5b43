import { readFileSync } from 'node:fs';
import type { CaseInput } from '#lib/contracts/case';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { prepareCase } from '#lib/scoring/house/score-case';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { importSuite } from '../../import-suite.js';
import { readYaml } from '../../files/read-yaml.js';

/** A configuration and promptfoo's result for it: null if promptfoo rejects it. */
export interface Configuration {
  /** The feature that the configuration tests: "counts", "prompts", ... */
  construct: string;
  config: JsonObject;
  resolved: { prompt: string; grades: string }[] | null;
}

export const VECTORS_FILE = new URL('../vectors/configurations.jsonl', import.meta.url);
export const readConfigurations = (): Configuration[] =>
  readFileSync(VECTORS_FILE, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Configuration);

const tool = (name: string, properties: JsonObject): Tool => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object', properties, required: [] } },
});
export const TOOLS = [
  tool('find_order', { order_id: { type: 'string' }, deep: { type: 'boolean' } }),
  tool('refund', { order_id: { type: 'string' }, amount: { type: 'number' } }),
  tool('cancel', {}),
];

interface Call {
  name: string;
  args: JsonObject;
}
const find = (order_id: string, more: JsonObject = {}): Call => ({ name: 'find_order', args: { order_id, ...more } });
const refund: Call = { name: 'refund', args: { order_id: '7', amount: 5 } };
const cancel: Call = { name: 'cancel', args: {} };
/**
 * Replies graded by promptfoo: "+" passes, "-" fails, "!" if it rejects the assertions, and "?" if its library does not
 * see the variables that its command line fills in.
 */
export const REPLIES: Call[][] = [
  [],
  [find('7')],
  [find('8')],
  [refund],
  [find('7'), refund],
  [refund, find('7')],
  [find('7'), find('7')],
  [find('7'), find('8')],
  [find('7', { deep: true })],
  [cancel],
  [find('7'), refund, cancel],
];

/** The configuration with a provider, unless it has one; `"tools": "DEFAULT"` is replaced by the tools above. */
export function wholeConfiguration(config: JsonObject): JsonObject {
  const whole = config.providers || config.targets ? config : { ...config, providers: [ECHO] };
  return JSON.parse(JSON.stringify(whole), (key, value: unknown) => (value === 'DEFAULT' ? TOOLS : value));
}
const ECHO = { id: 'echo', config: { tools: 'DEFAULT' } };

/** Lists the differences between an import and promptfoo that no warning mentions. */
export async function disagreements({ config, resolved }: Configuration): Promise<string[]> {
  const { suite, warnings } = await imported(config);
  const found: string[] = [];
  const cases = [...suite.test_cases];
  const isReported = warnings.some((warning) =>
    /left out|Nothing|names a file|must hold|must be|reference/.test(warning),
  );
  if (!resolved && cases.length > 0 && warnings.length === 0) found.push('promptfoo refuses it');
  for (const { prompt, grades } of resolved ?? []) {
    const [next] = cases;
    if (!next || JSON.stringify(messagesOf(next)) !== JSON.stringify(messagesIn(prompt))) {
      if (!isReported) found.push(`is missing: ${prompt}`);
      continue;
    }
    cases.shift();
    // A warning with a line means that a test is read differently.
    if (!warnings.some((warning) => /^(?:Line|Variables are filled)/.test(warning)))
      found.push(
        ...gradedDifferently(next, suite.tools, grades, /tool-call-f1|javascript/.test(JSON.stringify(config))),
      );
  }
  if (resolved) found.push(...cases.map((one) => `not a case of promptfoo: ${JSON.stringify(messagesOf(one))}`));
  return found;
}

async function imported(
  config: JsonObject,
): Promise<{ suite: { tools: Tool[]; test_cases: CaseInput[] }; warnings: string[] }> {
  try {
    return await importSuite('promptfoo', wholeConfiguration(config), undefined);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { suite: { tools: [], test_cases: [] }, warnings: [error.message] };
  }
}

function gradedDifferently(input: CaseInput, suite: readonly Tool[], grades: string, limitsCalls: boolean): string[] {
  const tools = toolSetOf(input, suite);
  const scorer = prepareCase(input, tools, 1);
  const expected = input.expected_calls?.length ?? 1;
  return REPLIES.flatMap((calls, index) => {
    // A case allows further calls. tool-call-f1 does not allow calls of other tools, which a file-level warning
    // mentions, and code does not allow calls before the one that it names.
    if (grades[index] === '?' || (limitsCalls && calls.length > expected)) return [];
    const reply = {
      role: 'assistant',
      content: calls.length > 0 ? null : 'No.',
      tool_calls: calls.map(({ name, args }, id) => ({
        id: `c${id}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      })),
    };
    const isPassed = scorer.score(parseReply(reply, tools)).passed;
    return isPassed === (grades[index] === '+')
      ? []
      : [`promptfoo grades "${grades[index]}", the case ${isPassed ? 'passes' : 'fails'}: ${JSON.stringify(calls)}`];
  });
}

const messagesOf = ({ prompt, messages }: CaseInput): unknown => messages ?? [{ role: 'user', content: prompt }];

/** The messages that promptfoo's chat providers read from a prompt. */
function messagesIn(prompt: string): Json {
  if (prompt.trim().startsWith('- role:')) return readYaml(prompt).value;
  try {
    const value = JSON.parse(prompt) as Json;
    if (Array.isArray(value)) return value;
  } catch {
    // Plain text.
  }
  return [{ role: 'user', content: prompt }];
}
