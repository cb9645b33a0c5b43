import type { CaseInput } from '#lib/contracts/case';
import type { ConversationDefaults } from '#lib/contracts/conversation';
import type { InputError } from '#lib/contracts/input/problem';
import type { Tool } from '#lib/contracts/tool';

/** The errors of a case's conversation. Paths are pointers into the case. */
export const checkConversation = (
  _input: CaseInput,
  _defaults: ConversationDefaults | null | undefined,
  _suite: readonly Tool[],
): InputError[] => [];

/** The errors of what the conversations of a suite have in common. Paths are pointers into it. */
export const checkConversationDefaults = (_defaults: ConversationDefaults, _suite: readonly Tool[]): InputError[] => [];

/** What is allowed, but hardly meant, in sentences. */
export const conversationWarnings = (
  _input: CaseInput,
  _defaults: ConversationDefaults | null | undefined,
  _suite: readonly Tool[],
): string[] => [];
