/** What is said for the tool of a reply without a call, and for a tool that no suite has. */
const WORDS: Record<string, string> = { '(none)': 'no call', '(unknown)': 'unknown tool' };

export const toolWords = (tool: string): string => (Object.hasOwn(WORDS, tool) ? WORDS[tool]! : tool);
