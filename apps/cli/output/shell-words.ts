/** Words that need no quotes in any shell. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** Characters that a terminal or a pull request does not show: control characters, line ends, reading directions. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Quotes words as one line to paste into a shell (bash, zsh, ksh), which reads each of them as one argument. */
export const shellLine = (words: readonly string[]): string => words.map(quote).join(' ');

function quote(text: string): string {
  const word = text.toWellFormed();
  if (PLAIN.test(word)) return word;
  if (word.search(INVISIBLE) < 0) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${word.replace(/[\\']/g, String.raw`\$&`).replace(INVISIBLE, escaped)}'`;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 && Number.parseInt(code, 16) < 0x80
    ? String.raw`\x${code.padStart(2, '0')}`
    : String.raw`\u${code.padStart(4, '0')}`;
}
