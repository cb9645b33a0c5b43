/** The label of a reply without a call, and of a tool that is not in the suite. */
const WORDS: Record<string, string> = { '(none)': 'no call', '(unknown)': 'unknown tool', '(any)': 'any calls' };

export const toolWords = (tool: string): string => (Object.hasOwn(WORDS, tool) ? WORDS[tool]! : tool);
