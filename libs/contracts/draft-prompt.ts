/** The start of the prompt in a case drafted from a tool's description. The author replaces it. */
export const DRAFT_PROMPT = 'Write here what a user would say';
