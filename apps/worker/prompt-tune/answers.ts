import type { ChildRun } from '#lib/db/engine/orchestrations';
import { readAsks, type ReadAsk, type StoredAsk } from '#lib/prompt-tune/rows/stored-search';
import {
  MAX_META_REPLY_BYTES,
  readMetaReplies,
  type MetaReply,
} from '#lib/prompt-tune/rows/for-workers/candidate-results';
import { readCaseMeans, type CaseMeans } from '#lib/tuning/rows/for-workers/trial-results';
import { readProposals } from '#lib/prompt-tune/read-proposals';
import { keyOf, type Answer, type Ask, type Command, type Measure } from '#lib/prompt-tune/search';
import { commandOf, isMeta, isRepeat } from './child-runs.js';
import type { ProposalChecker } from './check-proposals.js';
import type { PromptTuneContext } from './tune-context.js';

/** The runs of a command: the first one, and the one that repeated what the first lacked. */
interface RunsOf {
  first?: ChildRun;
  again?: ChildRun;
}

/** @returns a sentence when it cannot be read */
function read({ called, errorType }: MetaReply, { task, components }: StoredAsk): ReturnType<typeof readProposals> {
  if (called === null) return `its calls are longer than ${MAX_META_REPLY_BYTES / 2 ** 20} MiB.`;
  const written = readProposals(called, { task: task as Ask['task'], components });
  const isCutOff = typeof written === 'string' && errorType === 'cut_off';
  return isCutOff ? `${written} The reply ended at its token limit. Raise meta_params.max_tokens.` : written;
}

/** The results of a tune's child runs: the answers to the commands of its search. */
export class Answers {
  /** Newly parsed replies of the meta model. */
  readonly read: ReadAsk[] = [];
  /** Why the meta model could not be asked; undefined when it could. */
  failure: string | undefined;
  /** Cases of a command that errored, and are to be run once more. */
  readonly errored = new Map<string, readonly number[]>();
  /** The runs that measured each candidate in the replayed search. */
  readonly runsOfCandidate = new Map<number, string[]>();

  private constructor(
    readonly asks: ReadonlyMap<string, StoredAsk>,
    private readonly runs: ReadonlyMap<string, RunsOf>,
    private readonly means: ReadonlyMap<string, CaseMeans>,
  ) {}

  static async read(
    { pool, orchestration, tune }: PromptTuneContext,
    checker: () => Promise<ProposalChecker>,
  ): Promise<Answers> {
    const asks = await readAsks(pool, orchestration.id);
    const runs = new Map<string, RunsOf>();
    for (const child of orchestration.children) {
      const of = runs.get(commandOf(child)) ?? {};
      runs.set(commandOf(child), { ...of, [isRepeat(child) ? 'again' : 'first']: child });
    }
    const measured = orchestration.children.filter((child) => !isMeta(child)).map(({ id }) => id);
    const answers = new Answers(asks, runs, await readCaseMeans(pool, measured, tune.asked.measure));
    const unread = [...asks.values()].filter(({ proposals, unreadable }) => proposals === null && unreadable === null);
    const ids = unread.flatMap(({ key }) => Object.values(runs.get(key) ?? {}).map(({ id }: ChildRun) => id));
    if (ids.length === 0) return answers;
    const replies = await readMetaReplies(pool, ids);
    for (const ask of unread) await answers.#readReply(ask, replies, checker);
    return answers;
  }

  /** An unreadable reply is requested once more; the second one is final. */
  async #readReply(
    ask: StoredAsk,
    replies: ReadonlyMap<string, MetaReply>,
    checker: () => Promise<ProposalChecker>,
  ): Promise<void> {
    const { first, again } = this.runs.get(ask.key) ?? {};
    const reply = replies.get((again ?? first)?.id ?? '');
    if (!reply) return;
    if (reply.error !== null) return void (this.failure ??= reply.error);
    const written = read(reply, ask);
    if (typeof written !== 'string')
      this.#keep({ key: ask.key, proposals: await (await checker()).check(written), unreadable: null });
    else if (again) this.#keep({ key: ask.key, proposals: null, unreadable: written });
  }

  #keep(read: ReadAsk): void {
    this.read.push(read);
    Object.assign(this.asks.get(read.key)!, read);
  }

  /** Undefined for a command that was not carried out, or is to be repeated in part. */
  of(command: Command): Answer | undefined {
    return command.do === 'ask' ? this.#proposalsOf(command) : this.#scoresOf(command);
  }

  #proposalsOf(command: Ask): Answer | undefined {
    const { proposals = null, unreadable = null } = this.asks.get(keyOf(command)) ?? {};
    return proposals === null && unreadable === null ? undefined : { proposals: proposals ?? [], unreadable };
  }

  #scoresOf(command: Measure): Answer | undefined {
    const key = keyOf(command);
    const { first, again } = this.runs.get(key) ?? {};
    if (!first) return undefined;
    const runs = [first, ...(again ? [again] : [])].map(({ id }) => id);
    const scores = new Map(runs.flatMap((id) => [...(this.means.get(id) ?? [])]));
    const missing = command.cases.filter((position) => !scores.has(position));
    if (missing.length > 0 && !again) return void this.errored.set(key, missing);
    const { id } = command.candidate;
    this.runsOfCandidate.set(id, [...(this.runsOfCandidate.get(id) ?? []), ...runs]);
    return scores;
  }
}
