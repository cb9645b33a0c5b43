/** How the prompt of a case begins that was drafted from the description of a tool. An author writes another one. */
export const DRAFT_PROMPT = 'Write here what a user would say';
