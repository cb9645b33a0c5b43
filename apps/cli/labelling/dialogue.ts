import { decodeText } from '#lib/contracts/input/decode-text';
import { ask, canAsk, print, printError } from '../output/terminal.js';

/** Shows things to a user and reads the answers. */
export interface Dialogue {
  show(...lines: string[]): void;
  /** The next answer; undefined at the end of input. */
  next(): Promise<string | undefined>;
  text(question: string): Promise<string>;
  /** Reports an invalid answer. @throws Error if it cannot be corrected interactively */
  refuse(message: string): void;
  close(): void;
}

/** Keys on a terminal, otherwise the lines of standard input. */
export const openDialogue = (): Dialogue => (canAsk() ? new Keys() : new Lines());

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/**
 * Keys of a terminal. A key pressed before there is a question is dropped: the user had not seen what it would answer.
 */
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

  /** The line after an invalid one is meant for another result. */
  refuse(message: string): never {
    throw new Error(message);
  }

  close(): void {
    process.stdin.destroy();
  }
}

/** Non-blank lines. Each is decoded on its own: a user who types at the other end waits for its effect. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  const { createInterface } = await import('node:readline');
  for await (const bytes of createInterface({ input: input.setEncoding('latin1') })) {
    const line = decodeText(Buffer.from(bytes, 'latin1'), { name: 'Standard input' }).trim();
    if (line !== '') yield line;
  }
  return undefined;
}
