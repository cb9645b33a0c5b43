import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import { jsonPointer, type InputError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';
import { checkCase } from '#lib/scoring/checks/check-case';
import { checkTools } from '#lib/scoring/checks/check-tools';

const MAX_CACHED_TOOLS = 2000;

/**
 * Checks the cases of an import. Many cases have the same tools, and compiling a schema takes a millisecond, so each
 * tool is checked only once.
 * @param defaults what the conversations of the suite have in common
 */
export function createCaseChecker(
  suite: readonly Tool[],
  defaults?: ConversationDefaults | null,
): (input: CaseInput) => InputError[] {
  const known = new Map<string, InputError[]>();
  const toolErrors = (tool: Tool): InputError[] => {
    const text = JSON.stringify(tool);
    let errors = known.get(text);
    if (!errors) {
      if (known.size >= MAX_CACHED_TOOLS) known.clear();
      known.set(text, (errors = checkTools([tool])));
    }
    return errors;
  };
  return (input) => {
    const own = input.tools?.filter((tool) => typeof tool !== 'string') ?? [];
    if (own.length === 0 || input.distractors !== undefined) return checkCase(input, suite, defaults);
    const errors = input.tools!.flatMap((tool, index) =>
      typeof tool === 'string'
        ? []
        : toolErrors(tool).map(({ path, message }) => ({
            path: jsonPointer(['tools', index]) + path.replace(/^\/0/, ''),
            message,
          })),
    );
    const ownNames = new Set(own.map((tool) => tool.function.name.toLowerCase()));
    const named = input.tools!.map((tool) => (typeof tool === 'string' ? tool : tool.function.name));
    return [
      ...errors,
      ...checkCase(
        { ...input, tools: named },
        [...suite.filter((tool) => !ownNames.has(tool.function.name.toLowerCase())), ...own],
        defaults,
      ),
    ];
  };
}
