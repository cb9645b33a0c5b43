/** What a conversation may hold, whoever made it. */
export const CONVERSATION_BOUNDS = {
  /** Requests. */
  rounds: 50,
  turns: 50,
  /** Calls of all rounds. */
  calls: 1000,
  /** Of a tool. */
  rules: 100,
  /** Of a rule, or of a patch on the state. */
  operations: 100,
  /** Of the state as JSON, after every call. */
  stateBytes: 256 * 1024,
  stateDepth: 32,
  /** Of all answers of tools together. */
  answerBytes: 2 ** 20,
  /** Of all messages of the model that are sent back. */
  messageBytes: 2 ** 20,
  /** Characters of an argument in a text. */
  argument: 1000,
};
export const DEFAULT_CONVERSATION_ROUNDS = 12;

/** The figures of a conversation, in the order in which they are shown. All but `fabricated` are better when higher. */
export const CONVERSATION_FIGURES = [
  'conversation.calls',
  'conversation.forbidden',
  'conversation.state',
  'conversation.answer',
  'conversation.efficiency',
  'conversation.recovered',
  'conversation.fabricated',
] as const;
/** Those that a higher mean is better of, so that runs can be compared by them, and gates can have a floor of them. */
export const isBetterHigher = (name: string): boolean => name !== 'conversation.fabricated';
export const COMPARED_FIGURES: readonly ConversationFigure[] = CONVERSATION_FIGURES.filter(isBetterHigher);
export const LOWER_IS_BETTER =
  'cannot be "conversation.fabricated", which is better when it is lower: use "conversation.state" or ' +
  '"conversation.answer"';
export type ConversationFigure = (typeof CONVERSATION_FIGURES)[number];

/** Those by which a conversation can fall short. Its efficiency is only shown. */
export const MISSED_FIGURES = [
  'conversation.calls',
  'conversation.forbidden',
  'conversation.state',
  'conversation.answer',
  'conversation.recovered',
  'conversation.fabricated',
] as const satisfies readonly ConversationFigure[];
export type MissedFigure = (typeof MISSED_FIGURES)[number];
