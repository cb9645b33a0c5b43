import { MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { ProblemError, type InputError } from '#lib/contracts/problem';
import { MAX_RECORDED } from '#lib/contracts/recorded';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import { parseCase, loadCases } from '#lib/db/read/pinned-cases';
import type { Pool } from '#lib/db/connection/pool';
import {
  storeRecordedReplies,
  readNamedCases,
  type NamedCase,
  type RecordedReply,
  type Recording,
} from '#lib/db/engine/record-run';
import type { TextStream } from '#lib/imports/files/text-stream';
import { isSemantic } from '../runs/is-semantic.js';
import { faultOf, type ReadLine } from './recorded-lines.js';
import type { SuiteThreads } from '../suites/suite-threads.js';

/** What came of the replies of a recorded run. */
export interface Taken {
  replies: number;
  readAs: Record<string, number>;
  /** Of the cases that they are of, in order. */
  positions: number[];
  /** The largest number of a case. */
  samples: number;
  warnings: { code: string; message: string }[];
}

/**
 * Lines are read and kept so many at a time, or when they have so many characters, or when the last ones were kept
 * so long ago.
 */
const BATCH = { lines: 1000, characters: 512 * 1024, afterMs: 20_000 };

/**
 * Reads recorded replies as they come in, and keeps them batch by batch: neither memory nor a connection grows with
 * their number, or waits for whoever sends them.
 * @throws ProblemError 422 with everything that is wrong with them, by line
 */
export async function takeRecorded(
  deps: { pool: Pool; suiteThreads: SuiteThreads },
  teamId: string,
  recording: Recording,
  incoming: TextStream,
): Promise<Taken> {
  const { pool, suiteThreads } = deps;
  const items = await ItemsOfSuite.load(pool, teamId, recording);
  const readAs = new Map<string, number>();
  const faults: InputError[] = [];
  let replies = 0;
  for await (const { from, lines } of batchesOf(incoming)) {
    const answer = await suiteThreads.run(teamId, { what: 'read-recorded', from, lines });
    const kept: RecordedReply[] = [];
    for (const line of answer.read) {
      const placed = await items.place(line);
      if ('fault' in placed) faults.push(faultOf(line.line, placed.fault));
      else kept.push(placed);
      readAs.set(line.readAs, (readAs.get(line.readAs) ?? 0) + 1);
    }
    replies += answer.read.length;
    faults.push(...answer.faults);
    if (faults.length >= MAX_INPUT_ERRORS) break;
    // What is wrong is told of all lines; nothing is kept beside it.
    await storeRecordedReplies(pool, recording, faults.length ? [] : kept);
  }
  if (faults.length) throw refusal(faults);
  if (replies === 0)
    throw new ProblemError(
      422,
      'There is no reply among the lines. Send one object a line: {"case": "...", "reply": ...}.',
      [{ path: '/replies', message: 'is empty' }],
    );
  return { replies, readAs: Object.fromEntries(readAs), ...items.taken(replies) };
}

function refusal(faults: InputError[]): ProblemError {
  const errors = faults.sort((a, b) => lineOf(a) - lineOf(b)).slice(0, MAX_INPUT_ERRORS);
  const count = faults.length < MAX_INPUT_ERRORS ? String(faults.length) : `At least ${MAX_INPUT_ERRORS}`;
  return new ProblemError(
    422,
    `${count === '1' ? 'A thing is' : `${count} things are`} wrong with the replies, and nothing was ` +
      `kept. ${errors[0]!.message}`,
    errors,
  );
}
const lineOf = ({ path }: InputError): number => Number(path.split('/')[2]);

/** The lines of a text as they come in, none held that is longer than a line may be. */
async function* batchesOf({ pieces }: TextStream): AsyncGenerator<{ from: number; lines: string[] }> {
  let [from, lines, characters, rest] = [1, [] as string[], 0, ''];
  let keptAt = performance.now();
  const add = (line: string): void => {
    if (line.length > MAX_RECORDED.lineCharacters) throw tooLong(from + lines.length);
    if (from + lines.length > MAX_RECORDED.lines) throw tooMany();
    lines.push(line);
    characters += line.length;
  };
  const isDue = (): boolean =>
    lines.length >= BATCH.lines ||
    characters >= BATCH.characters ||
    (lines.length > 0 && performance.now() - keptAt > BATCH.afterMs);
  const batch = (): { from: number; lines: string[] } => {
    const taken = { from, lines };
    [from, lines, characters, keptAt] = [from + lines.length, [], 0, performance.now()];
    return taken;
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      const line = rest + piece.slice(start, end);
      add(from + lines.length === 1 ? line.replace(/^\ufeff/, '') : line);
      [rest, start] = ['', end + 1];
      if (isDue()) yield batch();
    }
    rest += piece.slice(start);
    if (rest.length > MAX_RECORDED.lineCharacters) throw tooLong(from + lines.length);
    if (isDue()) yield batch();
  }
  if (rest) add(from + lines.length === 1 ? rest.replace(/^\ufeff/, '') : rest);
  if (lines.length) yield batch();
}

const tooLong = (line: number): ProblemError =>
  refusal([
    faultOf(line, {
      path: '',
      message:
        `is longer than ${MAX_RECORDED.lineCharacters / 2 ** 20} MiB. Take out of it what is no ` +
        'reply, such as files that a tool read.',
    }),
  ]);
const tooMany = (): ProblemError =>
  new ProblemError(422, `There are more than ${MAX_RECORDED.lines} lines. Divide them among several recorded runs.`);

interface Known {
  position: number;
  isDraft: boolean;
  isChain: boolean;
  maybeSemantic: boolean;
}

/** Which reply belongs to which item. Of a suite of 100,000 cases it holds some 30 MB, and a bit for each item. */
class ItemsOfSuite {
  readonly #byId = new Map<string, Known>();
  /** Undefined where several cases have the name. */
  readonly #byName = new Map<string, Known | undefined>();
  readonly #isTaken: Uint8Array;
  readonly #named: Uint8Array;
  readonly #meanings = new Map<number, boolean>();
  #samples = 0;
  #several: { lines: number; first: number } | undefined;

  private constructor(readonly of: { pool: Pool; teamId: string; recording: Recording }) {
    const { caseCount } = of.recording.suite;
    this.#isTaken = new Uint8Array(Math.ceil((caseCount * MAX_RECORDED.samples) / 8));
    this.#named = new Uint8Array(caseCount);
  }

  static async load(pool: Pool, teamId: string, recording: Recording): Promise<ItemsOfSuite> {
    const items = new ItemsOfSuite({ pool, teamId, recording });
    for await (const page of readNamedCases(pool, recording.suite.versionId)) for (const one of page) items.#know(one);
    return items;
  }

  #know({ id, name, ...known }: NamedCase): void {
    this.#byId.set(id, known);
    if (name !== null) this.#byName.set(name, this.#byName.has(name) ? undefined : known);
  }

  /** The item of a line, which no other line has from now on. */
  async place({
    case: named,
    sample,
    exchange,
    first,
    line,
  }: ReadLine): Promise<RecordedReply | { fault: InputError }> {
    const { suite } = this.of.recording;
    const of = `version ${suite.version} of "${suite.name}"`;
    const fault = (path: string, message: string) => ({ fault: { path, message } });
    const known = this.#byId.get(named.toLowerCase()) ?? this.#byName.get(named);
    if (!known) {
      return fault(
        '/case',
        this.#byName.has(named)
          ? `names several cases of ${of}: "${named}". Say the id of the one that is meant.`
          : `names no case of ${of}: "${named.slice(0, 200)}". Say the id or the name of one (GET ` +
              `/api/tool-suites/${this.of.recording.suiteId}/cases).`,
      );
    }
    const { position, isDraft, isChain } = known;
    if (isDraft)
      return fault(
        '/case',
        `"${named}" is a draft, which takes part in no run. Look at it and take "draft" away, or leave the line out.`,
      );
    const taken = sample ?? this.#firstFree(position);
    if (taken === undefined)
      return fault(
        '/case',
        `"${named}" has ${MAX_RECORDED.samples} replies already, and that is as many as a case may have.`,
      );
    if (this.#has(position, taken)) return fault('/sample', `${taken} of case "${named}" stands in a line before.`);
    if (known.maybeSemantic && (await this.#lacksMeaning(position))) {
      return fault(
        '/case',
        `"${named}" is compared by meaning ("semantic"), and the team has no embedding model. Set ` +
          'one with PUT /api/settings/embedding, or leave the line out.',
      );
    }
    const bit = position * MAX_RECORDED.samples + taken;
    this.#isTaken[bit >> 3]! |= 1 << (bit & 7);
    this.#named[position] = 1;
    this.#samples = Math.max(this.#samples, taken + 1);
    if (isChain || !first) return { casePosition: position, sample: taken, exchange };
    this.#several ??= { lines: 0, first: line };
    this.#several.lines++;
    return { casePosition: position, sample: taken, exchange: first };
  }

  #has(position: number, sample: number): boolean {
    const bit = position * MAX_RECORDED.samples + sample;
    return (this.#isTaken[bit >> 3]! & (1 << (bit & 7))) !== 0;
  }

  #firstFree(position: number): number | undefined {
    for (let sample = 0; sample < MAX_RECORDED.samples; sample++) if (!this.#has(position, sample)) return sample;
    return undefined;
  }

  /** Whether a case is compared by meaning, and the team cannot. */
  async #lacksMeaning(position: number): Promise<boolean> {
    const { pool, teamId, recording } = this.of;
    let lacks = this.#meanings.get(position);
    if (lacks === undefined) {
      const [found] = await loadCases(pool, recording.suite.versionId, [position]);
      lacks =
        isSemantic(parseCase(found!.body)) &&
        (await new SettingsRepository(pool, teamId).readEmbedding()).provider_key === null;
      this.#meanings.set(position, lacks);
    }
    return lacks;
  }

  /** @param replies how many were placed */
  taken(replies: number): Pick<Taken, 'positions' | 'samples' | 'warnings'> {
    const positions: number[] = [];
    for (const [position, isNamed] of this.#named.entries()) if (isNamed) positions.push(position);
    const missing = positions.length * this.#samples - replies;
    const { caseCount } = this.of.recording.suite;
    const warnings: Taken['warnings'] = [];
    if (positions.length < caseCount)
      warnings.push({
        code: 'recorded_cases',
        message:
          `The replies are of ${positions.length} of the suite's ${caseCount} cases; the others take ` +
          'no part in this run.',
      });
    if (missing > 0)
      warnings.push({
        code: 'unrecorded',
        message:
          `Of ${positions.length} cases with ${this.#samples} samples each, ${missing} have no reply. ` +
          'They are errored (unrecorded), not wrong.',
      });
    if (this.#several)
      warnings.push({
        code: 'several_rounds',
        message:
          `${this.#several.lines} of the replies have several rounds, the first of them in line ` +
          `${this.#several.first}, where their cases ask once ("multi_turn" is not set): the first ` +
          'round alone is scored.',
      });
    return { positions, samples: this.#samples, warnings };
  }
}
