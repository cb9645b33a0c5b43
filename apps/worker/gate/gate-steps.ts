import { alphaOfLook } from '#lib/gate/alpha';
import { CONFIRMING_SAMPLES } from '#lib/gate/decide-gate';
import { NOT_MEASURED } from '#lib/gate/gate-sentence';
import type { MeasuredGate } from '#lib/gate/measure-gate';
import { unmeasuredAnswer } from '#lib/gate/unmeasured-answer';
import type { Comparer } from '#lib/comparison/threads/comparison-threads';
import type { LogEvent } from '#lib/contracts/event';
import type { GateAnswer } from '#lib/gate/contract';
import { note, noted, type Note } from '#lib/contracts/note';
import { parseJson } from '#lib/contracts/json/json';
import { inTransaction, type Pool } from '#lib/db/connection/pool';
import { keepLast, notesOfAnswer, storeLook, withLook, type LookPlan } from '#lib/gate/rows/gate-looks';
import type { NewChildRun, Orchestration, OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import type { GateRunInput, GateRunState, GateStep } from '#lib/gate/rows/gate-runs';
import { readSamples, type RunSamples } from '#lib/gate/rows/for-workers/run-samples';
import { type OrchestrationKind, spentBudget } from '../orchestration/kind.js';

/** A gate run at one of its steps. */
interface GateContext {
  pool: Pool;
  comparing: Comparer;
  orchestration: Orchestration;
  input: GateRunInput;
  state: GateRunState;
  plan: LookPlan;
}

/**
 * The steps of a gate run: `run` makes the run to measure, unless it exists already; `look` measures it, and ends the
 * gate run or doubles the samples of both sides for the next look.
 */
export const gate: OrchestrationKind = {
  type: 'gate',
  async nextStep({ pool, comparing, orchestration, signal }) {
    const input = orchestration.input as GateRunInput;
    const { looks } = input.gate.rules;
    const plan = { planned: looks, alpha: alphaOfLook(looks) };
    const here: GateContext = {
      pool,
      comparing,
      orchestration,
      input,
      state: orchestration.state as GateRunState,
      plan,
    };
    const baseline = input.baselineId === null ? undefined : await readSamples(pool, input.baselineId);
    const runId = input.evalId ?? orchestration.children.find(({ step }) => step === 'run')?.id;
    if (runId !== undefined) return lookAt(here, runId, baseline, signal);
    if (!baseline) {
      const answer = unmeasuredAnswer(input.gate, { runId: null, baselineId: null }, NOT_MEASURED.noBaseline);
      return finish(here, withLook(answer, 0, plan));
    }
    const { input: settings, targets, estimate } = input.run!;
    const submit = { suiteId: settings.suite_id, input: settings, targets, estimate };
    return {
      state: here.state,
      next: 'look' satisfies GateStep,
      children: [{ step: 'run', arm: 'candidate', submit }],
    };
  },
};

async function lookAt(
  here: GateContext,
  runId: string,
  baseline: RunSamples | undefined,
  signal: AbortSignal,
): Promise<Step> {
  const { pool, comparing, orchestration, input, state, plan } = here;
  const { baselineId, gate } = input;
  const run = await readSamples(pool, runId);
  const lastLook = (run?.first ?? 1) * 2 ** (plan.planned - 1);
  const { teamId } = orchestration;
  const { json } = await comparing.run(
    { what: 'measure-gate', teamId, gate, sides: { baselineId, runId }, lastLook },
    signal,
  );
  const measured = parseJson(Buffer.from(json).toString()) as unknown as MeasuredGate;
  const spent = spentBudget(orchestration);
  if (spent) return finish(here, state.answer ?? withLook(measured.answer, 0, plan), spent);
  if (!run || !baseline || measured.answer.result === 'not_measured')
    return finish(here, withLook(measured.answer, 0, plan));
  const sides = { run: { ...run, id: runId }, baseline: { ...baseline, id: baselineId! } };
  return confirmCritical(here, measured, sides) ?? decide(here, measured, sides);
}

type Side = RunSamples & { id: string };
interface Sides {
  run: Side;
  baseline: Side;
}

/** Once before each look: adds samples of the critical cases that seem broken. Undefined when not needed. */
function confirmCritical(here: GateContext, { unconfirmed }: MeasuredGate, { run, baseline }: Sides): Step | undefined {
  const { state } = here;
  const look = (state.looks?.length ?? 0) + 1;
  if (unconfirmed.length === 0 || state.confirmed === look) return undefined;
  const lacking = (side: 0 | 1, of: 'a' | 'b', { id, recorded, targets }: Side, arm: string): Addition[] => {
    const few = unconfirmed.filter(({ samples }) => samples[side] < CONFIRMING_SAMPLES);
    if (few.length === 0 || recorded) return [];
    const samples = CONFIRMING_SAMPLES - Math.min(...few.map((one) => one.samples[side]));
    const positions = few.map((one) => one[of]).sort((a, b) => a - b);
    return [{ arm, runId: id, samples, positions, items: samples * positions.length * targets }];
  };
  const additions = [...lacking(1, 'b', run, 'candidate'), ...lacking(0, 'a', baseline, 'baseline')];
  if (additions.length === 0 || exceedsBudget(here, additions)) return undefined;
  return {
    state: { ...state, confirmed: look },
    next: 'look' satisfies GateStep,
    children: additions.map((addition) => childOf(`confirm-${look}`, addition)),
  };
}

/** Stores the look, and ends the gate run with it, or adds samples for the next one. */
async function decide(here: GateContext, measured: MeasuredGate, sides: Sides): Promise<Step> {
  const { pool, orchestration, input, state, plan } = here;
  const { id: gateId, version } = input.gate;
  const of = { gateId, version, runId: sides.run.id, baselineId: sides.baseline.id };
  // In its own transaction: repeating this step finds the same data, and the same look.
  const answer = await inTransaction(pool, (client) => storeLook(client, orchestration.teamId, of, measured, plan));
  const { result, text, look } = answer;
  const { samples } = measured;
  const targets = answer.targets.map(({ target, result: of, difference, ci }) => ({
    target,
    result: of,
    difference,
    ci,
  }));
  const looks = [...(state.looks ?? []), { look: look.number, samples, result, text, targets }];
  const events: LogEvent[] = [
    { name: 'gate_look', data: { gate_run_id: orchestration.id, look: look.number, samples, result, text } },
  ];
  const seen = { ...here, state: { ...state, looks, answer } };
  if (result !== 'inconclusive' || look.final || !measured.canDecide) return finish(seen, answer, undefined, events);
  const additions = doubled(sides, look.number);
  const obstacle = obstacleTo(here, additions, sides);
  if (obstacle) {
    const notes = noted([...notesOfAnswer(answer), obstacle]);
    return finish(seen, { ...answer, ...notes }, undefined, events);
  }
  const step = `look-${look.number + 1}`;
  return {
    state: seen.state,
    next: 'look' satisfies GateStep,
    events,
    children: additions.map((addition) => childOf(step, addition)),
  };
}

/** Samples to add to a side, and the number of items. */
interface Addition {
  arm: string;
  runId: string;
  samples: number;
  positions?: number[];
  items: number;
}

const childOf = (step: string, { arm, items: _items, ...extend }: Addition): NewChildRun => ({ step, arm, extend });

/** The samples that the sides lack for the next look: twice as many as for the look before. */
function doubled({ run, baseline }: Sides, look: number): Addition[] {
  const planned = run.first * 2 ** look;
  const samples = planned > run.now ? planned : 2 * run.now;
  const lacking = ({ id, now, itemsPerSample }: Side, arm: string): Addition => ({
    arm,
    runId: id,
    samples: samples - now,
    items: (samples - now) * itemsPerSample,
  });
  return [lacking(run, 'candidate'), ...(baseline.recorded ? [] : [lacking(baseline, 'baseline')])].filter(
    (addition) => addition.samples > 0,
  );
}

/** Why the next look is impossible; undefined when it is possible. */
function obstacleTo(here: GateContext, additions: readonly Addition[], { run }: Sides): Note | undefined {
  if (run.recorded)
    return note(
      'no_further_samples',
      'The replies of the run were recorded elsewhere, so no samples can be added to it.',
    );
  if (!exceedsBudget(here, additions)) return undefined;
  const { maxRequests, children } = here.orchestration;
  const [needed, made, limit] = [itemsOf(additions), requestsOf(children), maxRequests!];
  return note(
    'budget_ends_looks',
    `Another look would need ${needed} more requests; ${made} of ${limit} are made. Raise the maximum requests of ` +
      'the gate or the budget of the run.',
    { needed, made, limit },
  );
}

const itemsOf = (additions: readonly Addition[]): number => additions.reduce((sum, { items }) => sum + items, 0);
const requestsOf = (children: Orchestration['children']): number =>
  children.reduce((sum, { requests }) => sum + requests, 0);

const exceedsBudget = (
  { orchestration: { maxRequests, children } }: GateContext,
  additions: readonly Addition[],
): boolean => maxRequests !== null && requestsOf(children) + itemsOf(additions) > maxRequests;

/** A resume continues from the look, unless there was one. */
async function finish(
  { pool, orchestration, input, state }: GateContext,
  answer: GateAnswer,
  end: OrchestrationEnd = { status: 'completed' },
  events: LogEvent[] = [],
): Promise<Step> {
  // Before the step is committed: repeating it keeps the same again.
  const { id: gateId, version } = input.gate;
  await keepLast(pool, orchestration.teamId, { gateId, version, gateRunId: orchestration.id }, answer);
  const { eval_id, result, text } = answer;
  const isDecided = end.status === 'completed' && result !== 'not_measured';
  return {
    state: { ...state, answer },
    next: isDecided ? null : ('look' satisfies GateStep),
    events: [...events, { name: 'gate_complete', data: { gate_run_id: orchestration.id, eval_id, result, text } }],
    end,
  };
}
