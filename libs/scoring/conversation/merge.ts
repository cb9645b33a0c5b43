import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';

/**
 * The case with what its conversation takes from its suite: the state, on which it applies `state_patch`, the rules of
 * tools, of which its own replace those of the same name, and limits. Other cases are returned as they are.
 */
export function mergeConversation(input: CaseInput, defaults: ConversationDefaults | null | undefined): CaseInput {
  if (!input.conversation || !defaults) return input;
  const { state_patch: _patch, ...own } = input.conversation;
  return { ...input, conversation: { ...defaults, ...own, tools: { ...defaults.tools, ...own.tools } } };
}
