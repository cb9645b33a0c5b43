/**
 * Text of servers and models for a pull request: on one line, shown as it is, and without effect. It closes no table
 * and no element, runs as no HTML, mentions nobody, and links to no issue and no address. (GitHub looks for mentions,
 * issues and addresses in the finished page, where a backslash is gone: only a character within them helps.)
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/@|#(?=\d)|:(?=\/\/)|\bwww(?=\.)|\bgh(?=-\d)/gi, '$&\u200b')
    .replace(/[\\`*_~[\]]/g, '\\$&')
    .replace(/[&<|$]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/^(#+(?= |$)|>|[+-](?=[ -]|$)|\d+(?=[.)](?: |$)))/, escapeBlockStart);

/** Keeps the first characters from beginning a heading, a list or a quotation. */
const escapeBlockStart = (start: string): string => (/^\d/.test(start) ? `${start}\u200b` : `\\${start}`);

/** One line of a table. */
export const markdownRow = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
