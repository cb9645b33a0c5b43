import { decodeText } from '#lib/contracts/input/decode-text';
import { ask, canAsk, print, printError } from '../output/terminal.js';

/** Where a person is shown something and answers. */
export interface Dialogue {
  show(...lines: string[]): void;
  /** The next answer; undefined where nothing more comes. */
  next(): Promise<string | undefined>;
  text(question: string): Promise<string>;
  /** Says what is wrong with an answer. @throws Error where nobody could correct it */
  refuse(message: string): void;
  close(): void;
}

/** Keys where there is a terminal, and elsewhere the lines of standard input. */
export const openDialogue = (): Dialogue => (canAsk() ? new Keys() : new Lines());

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** Keys of a terminal. One that is pressed before there is a question is for nothing that was seen, and is dropped. */
class Keys implements Dialogue {
  readonly show = print;
  readonly refuse = printError;
  #answer: ((key: string) => void) | undefined;

  constructor() {
    this.#listen();
  }

  next(): Promise<string> {
    return new Promise((resolve) => (this.#answer = resolve));
  }

  async text(question: string): Promise<string> {
    this.close();
    const text = await ask(question);
    this.#listen();
    return text ?? '';
  }

  close(): void {
    process.stdin.off('data', this.#take).setRawMode(false).pause();
  }

  #listen(): void {
    process.stdin.setRawMode(true).on('data', this.#take).resume();
  }

  readonly #take = (bytes: Buffer): void => {
    const key = String(bytes);
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer) answer(key === CTRL_C || key === CTRL_D ? 'quit' : key);
    else if (key === CTRL_C) process.kill(process.pid, 'SIGINT');
  };
}

/** Lines of a pipe or a file. */
class Lines implements Dialogue {
  readonly show = print;
  readonly #lines = linesOf(process.stdin);

  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }

  text = async (): Promise<string> => (await this.next()) ?? '';

  /** What stands behind a wrong line is meant for another result. */
  refuse(message: string): never {
    throw new Error(message);
  }

  close(): void {
    process.stdin.destroy();
  }
}

/** Lines that are not blank. Each is decoded by itself: whoever types at the other end waits for what it brings. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  const { createInterface } = await import('node:readline');
  for await (const bytes of createInterface({ input: input.setEncoding('latin1') })) {
    const line = decodeText(Buffer.from(bytes, 'latin1'), { name: 'Standard input' }).trim();
    if (line !== '') yield line;
  }
  return undefined;
}
