import { targetName } from '#lib/contracts/target-name';
import type { ReadJudgement } from '#lib/judge/rows/store-report';
import type { OrchestrationEnd } from '#lib/db/engine/orchestrations';
import {
  readJudgeReplies,
  readOpen,
  type JudgeReply,
  type OpenJudgement,
} from '#lib/judge/rows/for-workers/judged-results';
import { concludePair, concludeReply, type Conclusion, type ReadReplies } from '#lib/judge/conclude';
import { readJudgement, readPreference } from '#lib/judge/read-reply';
import type { ParsedCall } from '#lib/contracts/verdict';
import type { ReportContext } from './report-context.js';
import { requestsOf } from './requests.js';

/** The outcome of the last requests. */
export interface ReadBatch {
  read: ReadJudgement[];
  /** Requests whose replies could not be read, and which were not repeated yet. */
  again: number[];
  /** Set when the judge gave no reply at all. */
  failure: OrchestrationEnd | undefined;
  /** By the position of the judgement. */
  places: Map<number, { resultId: string; target: string; suspicious: boolean }>;
}

/** After a resume, earlier errors are read again, because their requests were repeated. */
export async function readBatch(here: ReportContext): Promise<ReadBatch> {
  const { pool, orchestration, state, run } = here;
  const isResumed = state.jobId !== undefined && state.jobId !== orchestration.jobId;
  const open = await readOpen(pool, orchestration.id, { states: isResumed ? ['asked', 'errored'] : ['asked'] });
  const replies = await repliesByRequest(here, open);
  const repeated = new Set(state.again);
  const again: number[] = [];
  const read: ReadJudgement[] = [];
  for (const judgement of open) {
    const requests = requestsOf(judgement);
    const heard = requests.map((request) => ({ request, replies: replies.get(request) ?? [] }));
    const unread = heard.filter(
      ({ request, replies: given }) => !repeated.has(request) && needsRepeat(here, judgement, given),
    );
    if (unread.length > 0) again.push(...unread.map(({ request }) => request));
    else
      read.push(
        conclude(
          here,
          judgement,
          heard.map(({ replies: given }) => given),
        ),
      );
  }
  const names = new Map(run.targets.map((target) => [target.ordinal, targetName(target)]));
  return {
    read,
    again,
    failure: failureOf(here, [...replies.values()].flat()),
    places: new Map(
      open.map(({ position, target, casePosition, sample, suspicious }) => [
        position,
        { resultId: `${target}-${casePosition}-${sample}`, target: names.get(target)!, suspicious },
      ]),
    ),
  };
}

async function repliesByRequest(
  { pool, orchestration }: ReportContext,
  open: readonly OpenJudgement[],
): Promise<Map<number, JudgeReply[]>> {
  const runs = orchestration.children.filter(({ step }) => step !== 'summary').map(({ id }) => id);
  const found = new Map<number, JudgeReply[]>();
  if (open.length === 0) return found;
  for (const reply of await readJudgeReplies(pool, runs, open.flatMap(requestsOf)))
    found.set(reply.request, [...(found.get(reply.request) ?? []), reply]);
  return found;
}

/** A request without a reply was repeated by its run; one with an unreadable reply was not. */
function needsRepeat(here: ReportContext, judgement: OpenJudgement, replies: readonly JudgeReply[]): boolean {
  const { said, unreadable } = readReplies(replies, readerOf(judgement), here.report.asked.samples);
  return unreadable.length > 0 && said.length < here.report.asked.samples;
}

type Reader<Said> = (called: readonly ParsedCall[] | null) => Said | string;
const readerOf = ({ otherTarget }: OpenJudgement): Reader<object> =>
  otherTarget === null ? readJudgement : readPreference;

function readReplies<Said extends object>(
  replies: readonly JudgeReply[],
  read: Reader<Said>,
  samples: number,
): ReadReplies<Said> {
  const given = replies.filter(({ error }) => error === null).map(({ called }) => read(called));
  return {
    said: given.filter((one) => typeof one !== 'string').slice(0, samples),
    unreadable: given.filter((one) => typeof one === 'string'),
    failed: replies.flatMap(({ error }) => error ?? []),
  };
}

function conclude(
  { report }: ReportContext,
  judgement: OpenJudgement,
  [first = [], second = []]: JudgeReply[][],
): ReadJudgement {
  const { samples } = report.asked;
  const concluded =
    judgement.otherTarget === null
      ? concludeReply(
          judgement.passed,
          readReplies(first, readJudgement, samples),
          judgement.suspicious ? readReplies(second, readJudgement, samples) : undefined,
        )
      : concludePair(readReplies(first, readPreference, samples), readReplies(second, readPreference, samples));
  return { position: judgement.position, ...stored(concluded), ...usageOf([...first, ...second]) };
}

function stored(
  concluded: Conclusion,
): Omit<ReadJudgement, 'position' | 'promptTokens' | 'completionTokens' | 'costUsd'> {
  if (concluded.state === 'errored')
    return {
      state: 'errored',
      verdict: null,
      agreement: null,
      expectationAtFault: false,
      flipped: false,
      said: null,
      error: concluded.error,
    };
  const { verdict, agreement, flipped, judged, reasons, votes } = concluded;
  return {
    state: 'judged',
    verdict,
    agreement,
    expectationAtFault: judged?.expectation_at_fault ?? false,
    flipped,
    said: { judged, reasons, votes },
    error: null,
  };
}

function usageOf(replies: readonly JudgeReply[]): Pick<ReadJudgement, 'promptTokens' | 'completionTokens' | 'costUsd'> {
  const total = (of: 'promptTokens' | 'completionTokens' | 'costUsd'): number | null =>
    replies.reduce<number | null>((sum, reply) => (reply[of] === null ? sum : (sum ?? 0) + reply[of]), null);
  return {
    promptTokens: total('promptTokens'),
    completionTokens: total('completionTokens'),
    costUsd: total('costUsd'),
  };
}

/** A judge that replies to no request is not asked any further. */
function failureOf({ report: { judge } }: ReportContext, replies: readonly JudgeReply[]): OrchestrationEnd | undefined {
  if (replies.length === 0 || replies.some(({ error }) => error === null)) return undefined;
  return {
    status: 'failed',
    error: `The judge ${judge} failed: ${replies[0]!.error} Resume the report once it replies again.`,
  };
}
