import { writeFileSync } from 'node:fs';

/*
 * All output of the command goes through this file. Names, messages and warnings come from servers, models and files,
 * and a terminal obeys control characters in them: escape sequences that clear it, rename its window or type for its
 * user, and overrides that reverse the reading direction. Each function takes lines or values, and only this file ends
 * a line. (ESLint forbids writing elsewhere in the command line.)
 */

/** Delete, the C1 control codes and the direction overrides: everything dangerous that JSON does not escape. */
const UNSAFE = '\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069';
const UNSAFE_IN_JSON = new RegExp(`[${UNSAFE}]`, 'g');
const UNSAFE_IN_LINES = new RegExp(`[\\u0000-\\u001f${UNSAFE}]`, 'g');
const UNSAFE_IN_FILES = new RegExp(`[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f${UNSAFE}]|\\r(?!\\n)`, 'g');

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes a text so that it always stays on one line. */
export const escapeControls = (text: string): string => text.replace(UNSAFE_IN_LINES, escapeCharacter);

/** JSON that is safe on a terminal, and that every parser reads as the same value. */
export const toSafeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, escapeCharacter);

const toText = (lines: readonly string[]): string => lines.map((line) => `${escapeControls(line)}\n`).join('');

export const print = (...lines: string[]): void => void process.stdout.write(toText(lines));
/** Prints what is not a result: warnings, notes and errors. */
export const printError = (...lines: string[]): void => void process.stderr.write(toText(lines));
export const printWarning = (message: string): void => printError(`Warning: ${message}`);

/** A part of a line, and whether it is added or removed. */
export interface MarkedPart {
  op: 'same' | 'removed' | 'added';
  text: string;
}
export type MarkedLine = readonly MarkedPart[];
/** Marks around added and removed text: green and red with colours, otherwise as in `git diff --word-diff`. */
const MARKS = {
  same: { signs: ['', ''], colours: ['', ''] },
  removed: { signs: ['[-', '-]'], colours: ['\u001b[31m', '\u001b[0m'] },
  added: { signs: ['{+', '+}'], colours: ['\u001b[32m', '\u001b[0m'] },
} as const;

/** A line of text, or of parts, some of them marked. */
export const markedText = (line: string | MarkedLine, inColours: boolean): string =>
  typeof line === 'string'
    ? escapeControls(line)
    : line
        .map(({ op, text }) => {
          const [before, after] = MARKS[op][inColours ? 'colours' : 'signs'];
          return before + escapeControls(text) + after;
        })
        .join('');

/** Prints lines with marked parts: in colours on a terminal that supports them. */
export function printMarked(lines: readonly (string | MarkedLine)[]): void {
  const inColours = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  process.stdout.write(lines.map((line) => `${markedText(line, inColours)}\n`).join(''));
}

/** Writes the lines of a report to a file. */
export const writeLines = (file: string, lines: readonly string[]): void =>
  writeFileSync(file, `${lines.join('\n')}\n`);

export const printJson = (value: unknown): void => void process.stdout.write(`${toSafeJson(value, 2)}\n`);
/** On one line, so that a program can find it among other output on standard error. */
export const printJsonError = (value: unknown): void => void process.stderr.write(`${toSafeJson(value)}\n`);

/** Prints `{"items": [...]}` one item at a time: a run may have more results than fit in memory. */
export async function printJsonItems(items: AsyncIterable<unknown>): Promise<void> {
  let separator = '\n';
  process.stdout.write('{"items": [');
  for await (const item of items) {
    process.stdout.write(separator + toSafeJson(item));
    separator = ',\n';
  }
  process.stdout.write('\n]}\n');
}

/** Prints a file: byte for byte to a pipe or a file, and with control characters escaped on a terminal. */
export const writeOutput = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY ? text.replace(UNSAFE_IN_FILES, escapeCharacter) : text);

/** Whether a user reads the output as it comes. */
export const isTerminal = (): boolean => process.stdout.isTTY;

/** Whether a user can be asked: both input and output are a terminal. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** A user's answer to a question; undefined without a terminal. */
export async function ask(question: string): Promise<string | undefined> {
  if (!canAsk()) return undefined;
  const { stdin, stdout } = process;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: stdin, output: stdout });
  // The end of the input counts as an empty answer.
  const closed = new Promise<string>((answered) => terminal.once('close', () => answered('')));
  const answer = await Promise.race([terminal.question(escapeControls(question)), closed]);
  terminal.close();
  return answer.trim();
}

/** Lines at the bottom of a terminal that are redrawn repeatedly to fit its width and height. */
export interface StatusArea {
  show(layout: (columns: number, rows: number) => string[]): void;
  clear(): void;
}

/** A status area on standard error, or undefined if that is not a terminal. */
export function openStatusArea(): StatusArea | undefined {
  const terminal = process.stderr;
  if (!terminal.isTTY) return undefined;
  let drawn = 0;
  const erase = (): string => (drawn ? `\u001b[${drawn}A\u001b[J` : '');
  return {
    show(layout) {
      const lines = layout(terminal.columns || 80, (terminal.rows || 24) - 1);
      terminal.write(erase() + toText(lines));
      drawn = lines.length;
    },
    clear() {
      terminal.write(erase());
      drawn = 0;
    },
  };
}

/** Ends the process when the reader of its output closes the pipe (`| head`). */
export const exitOnClosedPipe = (): void =>
  void process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
