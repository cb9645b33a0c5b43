import { storeNotes } from '#lib/contracts/note';
import { setImmediate } from 'node:timers/promises';
import type { LogEvent } from '#lib/contracts/event';
import { targetName } from '#lib/contracts/target-name';
import type { Tool } from '#lib/contracts/tool';
import { jsonColumn } from '#lib/db/connection/json-column';
import type { NewChildRun, OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import {
  storeAsks,
  storeCandidates,
  storeReplies,
  type NewAsk,
  type ReadAsk,
  type StoredCandidate,
} from '#lib/prompt-tune/rows/stored-search';
import type { PromptTuneState } from '#lib/prompt-tune/rows/prompt-tunes';
import { readVersionTools } from '#lib/db/read/pinned-cases';
import { beginSearch } from '#lib/prompt-tune/begin-search';
import { buildMetaRequest } from '#lib/prompt-tune/meta-request';
import { pickComponent } from '#lib/prompt-tune/pick-component';
import { keyOf, replay, type Ask, type Command, type Replayed, type SearchSettings } from '#lib/prompt-tune/search';
import type { TuneStep } from '#lib/tuning/tune-step';
import { type Progress, spentBudget, withProgress } from '../orchestration/kind.js';
import { Answers } from './answers.js';
import { candidateRows } from './candidate-rows.js';
import { checkerOf, type ProposalChecker } from './check-proposals.js';
import { asking, measuring } from './child-runs.js';
import { endTune } from './end-tune.js';
import { prompts, seenCases } from './examples.js';
import type { PromptTuneContext } from './tune-context.js';
import { afterSearch } from './confirm.js';

/**
 * The maximum number of child runs per step. The step blocks the user's other submits until it has made all of them.
 */
const MAX_CHILDREN = 100;

/** Replays the search from the results of its child runs, and makes the runs that it requests next. */
export async function search(here: PromptTuneContext): Promise<Step> {
  const { orchestration } = here;
  const suite = new SuiteTools(here);
  let checker: Promise<ProposalChecker> | undefined;
  const answers = await Answers.read(here, () => {
    checker ??= suite.read().then((tools) => checkerOf(here, tools));
    return checker;
  });
  const pause = (): Promise<void> => setImmediate(undefined, { signal: here.signal });
  const replayed = await replay(beginSearch, settingsOf(here), (command) => answers.of(command), pause);
  const rows = await candidateRows(replayed, pause);
  const { state, step } = progressOf(here, replayed, { read: answers.read, rows });
  const end = here.obstacle ?? metaFailure(here, answers) ?? spentBudget(orchestration);
  if (end) return conclude({ ...here, state }, replayed, step, end);
  if (replayed.finding) return afterSearch({ ...here, state }, replayed, step);
  const made = await makeChildren(here, replayed.next.slice(0, MAX_CHILDREN), answers, suite);
  return withProgress(step, {
    state,
    next: 'search' satisfies TuneStep,
    children: made.children,
    store: (client) => storeAsks(client, orchestration.id, made.asks),
  });
}

class SuiteTools {
  #tools: Promise<Tool[]> | undefined;

  constructor(readonly here: PromptTuneContext) {}

  read(): Promise<Tool[]> {
    const { pool, tune } = this.here;
    this.#tools ??= readVersionTools(pool, tune.suite.versionId).then((text) => jsonColumn<Tool[]>(text));
    return this.#tools;
  }
}

function settingsOf({ tune }: PromptTuneContext): SearchSettings {
  const { asked, base, reflect, select, targets, maxEvaluations } = tune;
  return {
    mode: asked.mode,
    base,
    reflect,
    select,
    seed: asked.seed,
    samples: asked.samples,
    models: targets.length,
    variants: asked.variants,
    population: asked.population,
    generations: asked.generations,
    selectionRatio: asked.selection_ratio,
    minibatch: asked.minibatch,
    maxEvaluations,
  };
}

function metaFailure({ tune }: PromptTuneContext, { failure }: Answers): OrchestrationEnd | undefined {
  if (failure === undefined) return undefined;
  const name = targetName(tune.meta);
  return {
    status: 'failed',
    error: `The meta model ${name} failed: ${failure} Resume the tune once it replies again.`,
  };
}

function progressOf(
  here: PromptTuneContext,
  { journal: { candidates, generations, evaluations, notes } }: Replayed,
  { read, rows }: { read: readonly ReadAsk[]; rows: readonly StoredCandidate[] },
): { state: PromptTuneState; step: Progress } {
  const { orchestration, state } = here;
  const front = generations.at(-1)?.front ?? [];
  const told = generations
    .slice(state.told ?? 0)
    .map((generation): LogEvent => ({ name: 'tune_generation', data: { tune_id: orchestration.id, ...generation } }));
  return {
    state: {
      ...state,
      told: Math.max(generations.length, state.told ?? 0),
      evaluations,
      candidates: candidates.length,
      front,
      ...storeNotes(notes),
    },
    step: {
      events: [...startOf(here), ...told],
      store: async (client) => {
        await storeReplies(client, orchestration.id, read);
        await storeCandidates(client, orchestration.id, rows);
      },
    },
  };
}

function startOf({ orchestration, tune }: PromptTuneContext): LogEvent[] {
  if (orchestration.children.length > 0) return [];
  const { asked, targets, reflect, select, heldOut, planned } = tune;
  const cases = { tuning: new Set([...reflect, ...select]).size, select: select.length, holdout: heldOut.length };
  const population = asked.mode === 'quick' ? asked.variants : asked.mode === 'evolutionary' ? asked.population : 1;
  return [
    {
      name: 'tune_start',
      data: {
        tune_id: orchestration.id,
        kind: 'prompt_tune',
        targets: targets.map(targetName),
        population,
        cases,
        planned_requests: planned,
      },
    },
  ];
}

/** Ends a stopped search with the best candidate so far, unconfirmed. */
function conclude(here: PromptTuneContext, { journal }: Replayed, step: Progress, end: OrchestrationEnd): Step {
  const [best] = journal.ranking();
  const found = best && { best: best.id, texts: best.texts };
  return withProgress(step, endTune({ ...here, state: { ...here.state, ...(found && { found }) } }, end));
}

async function makeChildren(
  here: PromptTuneContext,
  commands: readonly Command[],
  answers: Answers,
  suite: SuiteTools,
): Promise<{ children: NewChildRun[]; asks: NewAsk[] }> {
  const { orchestration, tune } = here;
  const asks: NewAsk[] = [];
  const children: NewChildRun[] = [];
  for (const command of commands) {
    if (command.do === 'measure') {
      const cases = answers.errored.get(keyOf(command));
      children.push(measuring(tune, command, cases && { cases }));
      continue;
    }
    const before = answers.asks.get(keyOf(command));
    const ask = before ?? (await newAsk(here, command, answers, suite, answers.asks.size + asks.length));
    if (!before) asks.push(ask as NewAsk);
    children.push(asking(orchestration.id, tune, ask, before !== undefined));
  }
  return { children, asks };
}

async function newAsk(
  { pool, tune }: PromptTuneContext,
  command: Ask,
  answers: Answers,
  suite: SuiteTools,
  position: number,
): Promise<NewAsk> {
  const { versionId } = tune.suite;
  const tools = (await suite.read()).map(({ function: { name, parameters } }) => ({
    name,
    parameters: Object.keys((parameters?.properties as object | undefined) ?? {}),
  }));
  const context = { base: tune.base, maxGrowth: tune.asked.max_growth, tools };
  const ask = { key: keyOf(command), position, task: command.task };
  if (command.task === 'variants') {
    const examples = await prompts(pool, versionId, command.cases);
    return { ...ask, components: [...command.components], input: buildMetaRequest(command, context, examples) };
  }
  const runIds = answers.runsOfCandidate.get(command.parents[0]!.id) ?? [];
  const seen = await seenCases(pool, versionId, { runIds, positions: command.cases });
  const examples = seen.map(({ example }) => example);
  if (command.task !== 'reflect')
    return { ...ask, components: [...command.components], input: buildMetaRequest(command, context, examples) };
  const component = pickComponent(
    command.components,
    seen.map(({ toolsOfFailure }) => toolsOfFailure),
    command.tries,
  );
  return { ...ask, components: [component], input: buildMetaRequest(command, context, examples, component) };
}
