import { withNote } from '#lib/contracts/note';
import type { LogEvent } from '#lib/contracts/event';
import {
  storeChoice,
  storeChosen,
  storeFingerprint,
  storeJudgements,
  type JudgeStep,
} from '#lib/judge/rows/store-report';
import type { Step } from '#lib/db/engine/orchestrations';
import { countJudgements, readOpen } from '#lib/judge/rows/for-workers/judged-results';
import { fingerprintOf } from '#lib/judge/judge-request';
import { type Progress, spentBudget, withProgress } from '../orchestration/kind.js';
import { ask } from './ask.js';
import { choose } from './choose.js';
import { endReport } from './end-report.js';
import type { ReportContext } from './report-context.js';
import { readBatch, type ReadBatch } from './read-batch.js';
import { asking } from './requests.js';

/** Results per batch. A batch is judged completely before the next one is requested. */
const BATCH_SIZE = 200;

/**
 * Reads the replies to the last batch, and continues: first by repeating, once, the requests whose replies could not be
 * read; else with waiting results; else with newly chosen results; and when none are left, with the summary.
 */
export async function judgeBatches(before: ReportContext): Promise<Step> {
  const { pool, orchestration, watched } = before;
  const { id, jobId } = orchestration;
  const piece = await readBatch(before);
  const count = await countJudgements(pool, id);
  const here: ReportContext = { ...before, state: { ...before.state, told: true, jobId } };
  const events = [...startOf(before, count), ...piece.read.map((one) => eventsOf(before, piece, one))];
  const read: Progress = {
    events,
    store: async (client) => {
      if (!before.state.told) await storeFingerprint(client, id, fingerprintOf(before.report.judge, before.rules));
      await storeJudgements(client, id, piece.read);
    },
  };
  const end = spentBudget(orchestration) ?? piece.failure;
  if (end) return withProgress(read, await endReport(here, end));
  if (piece.again.length > 0)
    return withProgress(read, {
      state: { ...here.state, again: piece.again },
      next: 'judge' satisfies JudgeStep,
      children: [asking(here, { step: 'again', arm: String(here.state.pieces), requests: piece.again })],
    });
  const waiting = await readOpen(pool, id, { states: ['waiting'], limit: BATCH_SIZE });
  if (waiting.length > 0) return withProgress(read, await ask(here, waiting));
  const choice = watched.choosing
    ? await choose(here, count)
    : { chosen: [], choosing: false, seenSeq: watched.seenSeq };
  const goesOn = choice.chosen.length > 0 || choice.choosing;
  return withProgress(read, {
    state: choice.note ? withNote(here.state, choice.note) : here.state,
    next: (goesOn ? 'judge' : 'summarise') satisfies JudgeStep,
    store: async (client) => {
      await storeChosen(client, id, choice.chosen, count);
      await storeChoice(client, id, choice);
    },
  });
}

function startOf({ orchestration: { id }, report: { judge }, state }: ReportContext, items: number): LogEvent[] {
  return state.told ? [] : [{ name: 'judge_start', data: { report_id: id, judge, items } }];
}

function eventsOf(
  { orchestration: { id } }: ReportContext,
  { places }: ReadBatch,
  { position, verdict, agreement }: ReadBatch['read'][number],
): LogEvent {
  const { resultId, target, suspicious } = places.get(position)!;
  return {
    name: 'judge_verdict',
    data: {
      report_id: id,
      position,
      result_id: resultId,
      target,
      verdict: verdict as never,
      agreement: agreement as never,
      suspicious,
    },
  };
}
