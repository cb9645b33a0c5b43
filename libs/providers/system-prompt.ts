/**
 * Joins the system prompt of a suite and that of a target, in this order, with a blank line between them.
 * @returns an empty string when there is neither
 */
export const joinSystemPrompts = (...prompts: (string | null)[]): string => prompts.filter(Boolean).join('\n\n');
