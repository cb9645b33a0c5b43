import type { InputError } from '#lib/contracts/input/problem';
import { readVariable } from '../env.js';
import { KeyRefProblem, notListed, type KeyRefs, type KeyRefUse } from '../key-refs.js';
import type { Logger } from '../logger.js';
import { describeFaults } from '../settings-file.js';
import { readListedKeys, type ListedKey } from './list-file.js';
import { FileFault, readSmallFile } from './small-file.js';
import { WatchedText } from './watched-text.js';

const LOOK_MS = 2000;
/** A key outlives its file by this: stores replace files, and runs under way go on meanwhile. */
const KEEP_MS = 60_000;
/** A process starts without the keys whose files have not answered by then, and not without the list. */
const START_MS = 5000;
/** A file that takes longer hangs, and holds up no other one. */
const ANSWER_MS = 2000;
const FILES_AT_ONCE = 2;
/** Of the four threads that a process has for files. One that hangs keeps its thread; the list needs one, too. */
const MAX_THREADS = 3;
const MAX_KEY_BYTES = 8192;
const MAX_LIST_BYTES = 256 * 1024;

/** TOOLMARK_KEY_REFS_FILE cannot be used. */
export class KeyRefsFault extends Error {}

/** Ids of teams by their names. */
export type TeamIdsOf = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface OperatorKeysOptions {
  /** TOOLMARK_KEY_REFS_FILE; undefined for no keys by reference. */
  file: string | undefined;
  logger: Logger;
  lookMs?: number;
  keepMs?: number;
  startMs?: number;
  answerMs?: number;
  /** How files are read. */
  readFile?: typeof readSmallFile;
}

/**
 * The keys of TOOLMARK_KEY_REFS_FILE, each for the teams that its entry names. The list and the files that it names are
 * looked at every two seconds. A list that has become wrong changes nothing until it is right again.
 */
export class OperatorKeys implements KeyRefs {
  readonly #list: WatchedText;
  readonly #texts = new Map<string, WatchedText>();
  /** Files of keys that are being read, those that hang and those of removed entries included. */
  #reading = 0;
  #isLookingAtKeys = false;
  #isLookingAtList = false;
  #entries: ReadonlyMap<string, ListedKey> = new Map();
  #teamIds: ReadonlyMap<string, string> = new Map();
  #teamIdsOf: TeamIdsOf = () => Promise.resolve(new Map());
  #missingTeams = '';
  #timer: NodeJS.Timeout | undefined;

  private constructor(readonly options: OperatorKeysOptions) {
    const { file, readFile = readSmallFile, startMs = START_MS } = options;
    this.#list = new WatchedText(async () => textOf(await readFile(file!, MAX_LIST_BYTES)), Infinity, startMs);
  }

  /**
   * Reads the list, and all keys that answer within a few seconds.
   * @throws KeyRefsFault that names every wrong place of the list
   */
  static async read(options: OperatorKeysOptions): Promise<OperatorKeys> {
    const keys = new OperatorKeys(options);
    const { file, startMs = START_MS } = options;
    if (file === undefined) return keys;
    await keys.#list.look();
    const { text, fault } = keys.#list;
    const errors = text === undefined ? [{ path: '', message: fault! }] : keys.#take(text);
    if (errors.length) throw new KeyRefsFault(keys.#describe(errors));
    await atMost(startMs, keys.#lookAtKeys());
    for (const [ref, { text: key, fault = 'does not answer' }] of keys.#texts)
      if (key === undefined) options.logger.warn({ ref, fault }, 'A key by reference cannot be read');
    keys.#warnOfOpenEntries();
    return keys;
  }

  /** Looks up the teams once, and from now on looks at everything again and again, until it is closed. */
  async watch(teamIdsOf: TeamIdsOf): Promise<void> {
    if (this.options.file === undefined) return;
    this.#teamIdsOf = teamIdsOf;
    this.#timer = setInterval(() => void this.refresh(), this.options.lookMs ?? LOOK_MS).unref();
    await this.#lookUpTeams();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks at the list, the teams and the keys. What is still being looked at is left alone. */
  async refresh(): Promise<void> {
    await Promise.all([this.#lookAtList().then(() => this.#lookUpTeams()), this.#lookAtKeys()]);
  }

  find(ref: string, { teamId, origin }: KeyRefUse): string {
    const entry = this.#entries.get(ref);
    if (!entry || !this.#isFor(entry, teamId)) throw notListed(ref);
    if (entry.origins && !entry.origins.includes(origin))
      throw new KeyRefProblem(
        `The operator lets the key "${ref}" be sent to ${entry.origins.join(', ')} only, not to ${origin}.`,
      );
    const { text, fault } = this.#texts.get(ref)!;
    if (text === undefined)
      throw new KeyRefProblem(
        `The key "${ref}" cannot be read: it ${fault ?? 'has not answered yet'}. The operator has to put it in place.`,
        fault === undefined ? 'unanswered' : 'refused',
      );
    return text;
  }

  /** The references that a team may use, in the order of the list. */
  list(teamId: string): { ref: string; origins: string[] | null }[] {
    return [...this.#entries.values()]
      .filter((entry) => this.#isFor(entry, teamId))
      .map(({ ref, origins }) => ({ ref, origins: origins ?? null }));
  }

  #isFor({ teams }: ListedKey, teamId: string): boolean {
    return teams.some((name) => this.#teamIds.get(name) === teamId);
  }

  async #lookAtList(): Promise<void> {
    if (this.#isLookingAtList) return;
    this.#isLookingAtList = true;
    const changed = await this.#list.look().finally(() => (this.#isLookingAtList = false));
    const { text, fault } = this.#list;
    if (changed === 'fault' && fault) this.#logWrongList([{ path: '', message: fault }]);
    if (changed !== 'text') return;
    const errors = this.#take(text!);
    if (errors.length) return this.#logWrongList(errors);
    this.options.logger.info({ keys: this.#entries.size }, 'The list of keys by reference has changed');
    this.#warnOfOpenEntries();
  }

  /** Whoever may change a provider of such a team can have the key sent to a server of their own. */
  #warnOfOpenEntries(): void {
    const refs = [...this.#entries.values()].filter(({ origins }) => !origins).map(({ ref }) => ref);
    if (refs.length)
      this.options.logger.warn({ refs }, 'Keys by reference without "origins": their teams can send them anywhere');
  }

  /** Makes this text the list. @returns what is wrong with it; then the list stays as it was */
  #take(text: string): InputError[] {
    const list = readListedKeys(text);
    if ('errors' in list) return list.errors;
    const entries = new Map(list.keys.map((entry) => [entry.ref, entry]));
    for (const ref of this.#texts.keys()) if (!entries.has(ref)) this.#texts.delete(ref);
    for (const ref of entries.keys()) if (!this.#texts.has(ref)) this.#texts.set(ref, this.#watched(ref));
    this.#entries = entries;
    return [];
  }

  #logWrongList(errors: readonly InputError[]): void {
    this.options.logger.error({ faults: this.#describe(errors) }, 'The list of keys by reference stays as it was');
  }

  #describe(errors: readonly InputError[]): string {
    return describeFaults(`The keys by reference in ${this.options.file} cannot be used:`, errors);
  }

  async #lookUpTeams(): Promise<void> {
    const names = [...new Set([...this.#entries.values()].flatMap(({ teams }) => teams))];
    if (names.length === 0) return;
    try {
      this.#teamIds = await this.#teamIdsOf(names);
    } catch {
      return; // Postgres is away, and the teams are as they were.
    }
    const missing = names.filter((name) => !this.#teamIds.has(name)).join(', ');
    if (missing && missing !== this.#missingTeams)
      this.options.logger.warn({ teams: missing }, 'Keys by reference name teams that do not exist');
    this.#missingTeams = missing;
  }

  /** A round that begins while another one is under way is left out. */
  async #lookAtKeys(): Promise<void> {
    if (this.#isLookingAtKeys) return;
    this.#isLookingAtKeys = true;
    const due = [...this.#texts];
    const lookInTurn = async (): Promise<void> => {
      while (due.length && this.#reading < MAX_THREADS) await this.#lookAt(...due.shift()!);
    };
    const looks = Array.from({ length: FILES_AT_ONCE }, lookInTurn);
    await Promise.all(looks).finally(() => (this.#isLookingAtKeys = false));
  }

  async #lookAt(ref: string, watchedText: WatchedText): Promise<void> {
    const { logger } = this.options;
    const hadKey = watchedText.text !== undefined;
    const changed = await watchedText.look();
    const { fault } = watchedText;
    if (changed === 'fault' && fault) logger.warn({ ref, fault }, 'A key by reference cannot be read');
    if (changed === 'fault' && !fault) logger.info({ ref }, 'A key by reference can be read again');
    if (changed === 'text' && fault) logger.error({ ref, fault }, 'A key by reference is no longer used');
    if (changed === 'text' && !fault && hadKey) logger.info({ ref }, 'A key by reference has changed');
  }

  #watched(ref: string): WatchedText {
    const { keepMs = KEEP_MS, answerMs = ANSWER_MS } = this.options;
    const place = ref.slice(ref.indexOf(':') + 1);
    const read = ref.startsWith('env:')
      ? () => Promise.resolve(readVariable(place))
      : async () => textOf(await this.#readKey(place));
    return new WatchedText(async () => keyIn(await read()), keepMs, answerMs);
  }

  async #readKey(path: string): Promise<Buffer> {
    const { readFile = readSmallFile } = this.options;
    this.#reading++;
    return readFile(path, MAX_KEY_BYTES).finally(() => this.#reading--);
  }
}

/** @throws FileFault */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileFault('is not UTF-8');
  }
}

/** A key is what a header can carry, on one line. @throws FileFault */
function keyIn(text: string | undefined): string {
  if (text === undefined) throw new FileFault('is not set in the environment of this process');
  const key = text.trim();
  if (key === '') throw new FileFault('is empty');
  if (/[\r\n]/.test(key)) throw new FileFault('has several lines; a key is one');
  if (!/^[\x21-\x7e]{1,2000}$/.test(key)) throw new FileFault('is not 1 to 2000 visible ASCII characters');
  return key;
}

/** Waits for work, but not longer than this. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
