/*
 * All that the command prints. Names, messages and warnings come from servers, models and files, and a terminal obeys what stands in
 * them: escape sequences that clear it, name its window or type for its user, and overrides that turn the reading direction round.
 * Each function takes lines, or values, and only what stands here ends a line. (ESLint keeps the rest of this folder from writing.)
 */

/**
 * Delete, the second half of the control codes, and what turns the reading direction round: all that JSON does not
 * escape.
 */
const ODD = '\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069';
const IN_JSON = new RegExp(`[${ODD}]`, 'g');
const IN_LINES = new RegExp(`[\\u0000-\\u001f${ODD}]`, 'g');
const IN_FILES = new RegExp(`[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f${ODD}]|\\r(?!\\n)`, 'g');

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text as one line, whatever is in it. */
export const visible = (text: string): string => text.replace(IN_LINES, escaped);

/** JSON that no terminal takes for anything else, and every parser for the same. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(IN_JSON, escaped);

const written = (lines: readonly string[]): string => lines.map((line) => `${visible(line)}\n`).join('');

export const say = (...lines: string[]): void => void process.stdout.write(written(lines));
/** What is no result: warnings, errors. */
export const tell = (...lines: string[]): void => void process.stderr.write(written(lines));
export const sayJson = (value: unknown, indent?: number): void => void process.stdout.write(`${json(value, indent)}\n`);
/** A file: as it is, but where somebody looks at it. */
export const sayFile = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY ? text.replace(IN_FILES, escaped) : text);

/** Lines of a terminal that are drawn over again, for its width and height. */
export interface Drawing {
  show(layout: (columns: number, rows: number) => string[]): void;
  clear(): void;
}

/** On standard error, where that is a terminal. */
export function drawing(): Drawing | undefined {
  const terminal = process.stderr;
  if (!terminal.isTTY) return undefined;
  let drawn = 0;
  const back = (): string => (drawn ? `\u001b[${drawn}A\u001b[J` : '');
  return {
    show(layout) {
      const lines = layout(terminal.columns || 80, (terminal.rows || 24) - 1);
      terminal.write(back() + written(lines));
      drawn = lines.length;
    },
    clear() {
      terminal.write(back());
      drawn = 0;
    },
  };
}

/** Whoever reads our output may have had enough (`| head`). */
export const endWithReader = (): void =>
  void process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
