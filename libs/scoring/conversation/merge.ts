import type { CaseInput } from '#lib/contracts/case';
import type { Conversation, ConversationDefaults } from '#lib/contracts/conversation';
import type { Json } from '#lib/contracts/json/json';
import { DEFAULT_CONVERSATION_ROUNDS } from '#lib/contracts/values/conversations';
import { applyPatch, PatchFault } from './patch.js';

/** A conversation that cannot begin or go on, by its suite's making. The message is a sentence. */
export class ConversationFault extends Error {
  /** Errors lose their class between threads. */
  override readonly name = 'ConversationFault';
}

/** A `state_patch` that does not apply. */
export class StatePatchFault extends ConversationFault {
  constructor(
    /** Index of the operation. */
    readonly operation: number,
    /** Why it does not apply, in a sentence. */
    readonly reason: string,
  ) {
    super(`The patch of the case does not apply to the state: ${reason}`);
  }
}

/**
 * The case with what its conversation takes from its suite: the state, on which it applies `state_patch`, the rules of
 * tools, of which its own replace those of the same name, and limits. It then has a state, tools and rounds, and no
 * `state_patch`; to merge it again changes nothing. Other cases are returned unchanged.
 * @throws StatePatchFault when the patch does not apply
 */
export function mergeConversation(input: CaseInput, defaults?: ConversationDefaults | null): CaseInput {
  if (!input.conversation) return input;
  const { state_patch: patch, ...own } = input.conversation;
  const { state: ofSuite = {} } = defaults ?? {};
  const { state = ofSuite } = own;
  const validate = own.validate ?? defaults?.validate;
  const conversation: Conversation = {
    ...own,
    state: mergedState(state, patch),
    tools: mergedTools(defaults?.tools, own.tools),
    max_rounds: own.max_rounds ?? defaults?.max_rounds ?? DEFAULT_CONVERSATION_ROUNDS,
    ...(validate !== undefined && { validate }),
  };
  return { ...input, conversation };
}

function mergedState(state: Json, patch: Conversation['state_patch']): Json {
  if (!patch) return state;
  try {
    return applyPatch(state, patch).state;
  } catch (error) {
    if (error instanceof PatchFault) throw new StatePatchFault(error.operation, error.message);
    throw error;
  }
}

type Tools = NonNullable<Conversation['tools']>;

function mergedTools(defaults: Tools = {}, own: Tools = {}): Tools {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const kept = Object.entries(defaults).filter(([name]) => !names.has(name.toLowerCase()));
  return Object.fromEntries([...kept, ...Object.entries(own)]);
}
