/** A Markdown table. Prettier aligns it. */
export const table = (header, rows) =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');

const escaped = (cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|');

export const code = (text) => `\`${text}\``;

export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
