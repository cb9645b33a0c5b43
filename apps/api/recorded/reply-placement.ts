import type { InputError } from '#lib/contracts/input/problem';
import { MAX_RECORDED } from '#lib/contracts/recorded';
import { SettingsRepository } from '#lib/db/catalogue/settings';
import type { Pool } from '#lib/db/connection/pool';
import { readNamedCases, type NamedCase, type RecordedReply, type Recording } from '#lib/db/engine/record-run';
import { loadCases, parseCase } from '#lib/db/read/pinned-cases';
import { isSemantic } from '../threads/is-semantic.js';
import type { ReadLine } from '../threads/recorded-lines.js';

type KnownCase = Omit<NamedCase, 'id' | 'name'>;

/** Summary of the placed replies. */
export interface PlacementSummary {
  /** Positions of the cases that have replies, in order. */
  positions: number[];
  /** The highest number of samples of a case. */
  samples: number;
  warnings: { code: string; message: string }[];
}

/**
 * Assigns each reply to an item: a sample of a case. For a suite of 100,000 cases it holds about 30 MB, and a bit for
 * each item.
 */
export class ReplyPlacement {
  readonly #casesById = new Map<string, KnownCase>();
  /** Undefined for a name shared by several cases. */
  readonly #casesByName = new Map<string, KnownCase | undefined>();
  readonly #takenItems: Uint8Array;
  readonly #hasReply: Uint8Array;
  readonly #lacksEmbedding = new Map<number, boolean>();
  #replies = 0;
  #samples = 0;
  /** Lines with several rounds whose case has a single request. */
  #extraRounds: { lines: number; first: number } | undefined;

  private constructor(readonly of: { pool: Pool; teamId: string; recording: Recording }) {
    const { caseCount } = of.recording.suite;
    this.#takenItems = new Uint8Array(Math.ceil((caseCount * MAX_RECORDED.samples) / 8));
    this.#hasReply = new Uint8Array(caseCount);
  }

  static async load(pool: Pool, teamId: string, recording: Recording): Promise<ReplyPlacement> {
    const placement = new ReplyPlacement({ pool, teamId, recording });
    for await (const page of readNamedCases(pool, recording.suite.versionId))
      for (const one of page) placement.#addCase(one);
    return placement;
  }

  #addCase({ id, name, ...known }: NamedCase): void {
    this.#casesById.set(id, known);
    if (name !== null) this.#casesByName.set(name, this.#casesByName.has(name) ? undefined : known);
  }

  /** Assigns a line's reply to an item, unless another line already has that item. */
  async place(line: ReadLine): Promise<RecordedReply | { fault: InputError }> {
    const known = this.#findCase(line.case);
    if (!known) return { fault: this.#unknownCase(line.case) };
    const sample = line.sample ?? this.#firstFreeSample(known.position);
    const fault = this.#faultOf(line, known, sample) ?? (await this.#meaningFault(line, known));
    if (fault) return { fault };
    this.#take(known.position, sample!);
    return { casePosition: known.position, sample: sample!, exchange: this.#exchangeOf(line, known) };
  }

  #findCase(idOrName: string): KnownCase | undefined {
    return this.#casesById.get(idOrName.toLowerCase()) ?? this.#casesByName.get(idOrName);
  }

  #unknownCase(idOrName: string): InputError {
    const { suite } = this.of.recording;
    const version = `version ${suite.version} of "${suite.name}"`;
    const message = this.#casesByName.has(idOrName)
      ? `names several cases of ${version}: "${idOrName}". Use the id of the case.`
      : `names no case of ${version}: "${idOrName.slice(0, 200)}". Use the id or the name of a ` + 'case of the suite.';
    return { path: '/case', message };
  }

  #faultOf({ case: named }: ReadLine, known: KnownCase, sample: number | undefined): InputError | undefined {
    if (known.isDraft)
      return {
        path: '/case',
        message: `"${named}" is a draft, which runs leave out. Review it and remove "draft", or leave the line out.`,
      };
    if (sample === undefined)
      return {
        path: '/case',
        message: `"${named}" already has ${MAX_RECORDED.samples} replies, the limit of a case.`,
      };
    if (this.#isTaken(known.position, sample))
      return { path: '/sample', message: `${sample} of case "${named}" is in an earlier line.` };
    return undefined;
  }

  /** A fault if the case is compared by meaning and the team has no embedding model. */
  async #meaningFault({ case: named }: ReadLine, known: KnownCase): Promise<InputError | undefined> {
    if (!known.maybeSemantic || !(await this.#needsEmbeddingModel(known.position))) return undefined;
    return {
      path: '/case',
      message:
        `"${named}" is compared by meaning ("semantic"), and the team has no embedding model. An ` +
        'owner can set one; or leave the line out.',
    };
  }

  async #needsEmbeddingModel(position: number): Promise<boolean> {
    const remembered = this.#lacksEmbedding.get(position);
    if (remembered !== undefined) return remembered;
    const { pool, teamId, recording } = this.of;
    const [found] = await loadCases(pool, recording.suite.versionId, [position]);
    const needed =
      isSemantic(parseCase(found!.body)) &&
      (await new SettingsRepository(pool, teamId).readEmbedding()).provider_key === null;
    this.#lacksEmbedding.set(position, needed);
    return needed;
  }

  /** A case that is neither a chain nor a conversation has a single request, so only the first round is scored. */
  #exchangeOf({ exchange, first, line }: ReadLine, { hasRounds }: KnownCase): Uint8Array {
    if (hasRounds || !first) return exchange;
    this.#extraRounds ??= { lines: 0, first: line };
    this.#extraRounds.lines++;
    return first;
  }

  #take(position: number, sample: number): void {
    const bit = bitOf(position, sample);
    this.#takenItems[bit >> 3]! |= 1 << (bit & 7);
    this.#hasReply[position] = 1;
    this.#samples = Math.max(this.#samples, sample + 1);
    this.#replies++;
  }

  #isTaken(position: number, sample: number): boolean {
    const bit = bitOf(position, sample);
    return (this.#takenItems[bit >> 3]! & (1 << (bit & 7))) !== 0;
  }

  #firstFreeSample(position: number): number | undefined {
    for (let sample = 0; sample < MAX_RECORDED.samples; sample++) if (!this.#isTaken(position, sample)) return sample;
    return undefined;
  }

  summary(): PlacementSummary {
    const positions = [...this.#hasReply.keys()].filter((position) => this.#hasReply[position]);
    return { positions, samples: this.#samples, warnings: this.#warnings(positions.length) };
  }

  #warnings(cases: number): PlacementSummary['warnings'] {
    const { caseCount } = this.of.recording.suite;
    const missing = cases * this.#samples - this.#replies;
    const warnings: PlacementSummary['warnings'] = [];
    if (cases < caseCount)
      warnings.push({
        code: 'recorded_cases',
        message: `The replies are for ${cases} of the suite's ${caseCount} cases; this run leaves the others out.`,
      });
    if (missing > 0)
      warnings.push({
        code: 'unrecorded',
        message:
          `Of ${cases} cases with ${this.#samples} samples each, ${missing} have no reply. ` +
          'They are errored (unrecorded), not wrong.',
      });
    if (this.#extraRounds)
      warnings.push({
        code: 'several_rounds',
        message:
          `${this.#extraRounds.lines} of the replies have several rounds although their cases ask once ` +
          `(no "multi_turn", no "conversation"), first in line ${this.#extraRounds.first}: only the first round is ` +
          'scored.',
      });
    return warnings;
  }
}

const bitOf = (position: number, sample: number): number => position * MAX_RECORDED.samples + sample;
