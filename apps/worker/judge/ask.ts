import { setImmediate } from 'node:timers/promises';
import {
  markAsked,
  storeJudgements,
  storeRequests,
  type JudgeRequest,
  type JudgeStep,
  type ReadJudgement,
} from '#lib/judge/rows/store-report';
import type { Step } from '#lib/db/engine/orchestrations';
import type { OpenJudgement } from '#lib/judge/rows/for-workers/judged-results';
import { askAboutPair, askAboutReply } from '#lib/judge/judge-request';
import { isSuspicious, withoutTexts } from '#lib/judge/addresses-grader';
import type { CaseInput } from '#lib/contracts/case';
import type { ReportContext } from './report-context.js';
import { loadEvidence, type Evidence } from './load-evidence.js';
import { asking, requestsOf } from './requests.js';

/** Total characters of the requests in a batch; at least one judgement is requested. */
const MAX_BATCH_CHARS = 16 * 2 ** 20;

/**
 * Has results judged: stores their requests, and submits the run that makes them. Those that cannot be requested are
 * errored immediately.
 */
export async function ask(here: ReportContext, waiting: readonly OpenJudgement[]): Promise<Step> {
  const { orchestration, state, signal } = here;
  const evidenceOf = await loadEvidence(here, waiting);
  const asked: OpenJudgement[] = [];
  const requests: JudgeRequest[] = [];
  const errored: ReadJudgement[] = [];
  let room = MAX_BATCH_CHARS;
  for (const [index, judgement] of waiting.entries()) {
    // A large case takes some milliseconds, and this process serves other teams, too.
    await setImmediate(undefined, { signal });
    const evidence = await evidenceOf(index);
    const built = evidence ? build(evidence, here) : NOT_SHOWN;
    if (typeof built === 'string') {
      errored.push(notAsked(judgement.position, built));
      continue;
    }
    room -= built.inputs.reduce((sum, input) => sum + lengthOf(input), 0);
    if (room < 0 && asked.length > 0) break;
    const open = { ...judgement, suspicious: built.suspicious };
    asked.push(open);
    requestsOf(open).forEach((position, n) => requests.push({ position, input: built.inputs[n]! }));
  }
  const pieces = (state.pieces ?? 0) + 1;
  return {
    state: { ...state, pieces, again: [] },
    next: 'judge' satisfies JudgeStep,
    children:
      requests.length > 0
        ? [asking(here, { step: 'ask', arm: String(pieces), requests: requests.map(({ position }) => position) })]
        : [],
    store: async (client) => {
      await storeRequests(client, orchestration.id, requests);
      await markAsked(client, orchestration.id, asked);
      await storeJudgements(client, orchestration.id, errored);
    },
  };
}

const NOT_SHOWN = 'The result is gone, or its case is too large for a judge.';
const TOO_LARGE = 'The case with its tools and the reply is too large for a judge.';

interface Built {
  suspicious: boolean;
  inputs: CaseInput[];
}

/**
 * A reply that addresses a grader is also judged without its texts. In a comparison, both replies are shown without.
 */
function build({ judged, reply, other }: Evidence, { rules }: ReportContext): Built | string {
  const suspicious = isSuspicious(reply, judged) || (other !== undefined && isSuspicious(other, judged));
  const inputs = other
    ? pairOf(suspicious ? withoutTexts(other) : other, suspicious ? withoutTexts(reply) : reply)
    : [askAboutReply(judged, reply, rules), ...(suspicious ? [askAboutReply(judged, withoutTexts(reply), rules)] : [])];
  const known = inputs.filter((input) => input !== undefined);
  return known.length === inputs.length ? { suspicious, inputs: known } : TOO_LARGE;

  /** Both orders. */
  function pairOf(a: Evidence['reply'], b: Evidence['reply']): (CaseInput | undefined)[] {
    return [askAboutPair(judged, [a, b], rules), askAboutPair(judged, [b, a], rules)];
  }
}

const lengthOf = ({ messages = [] }: CaseInput): number =>
  messages.reduce((sum, { content }) => sum + String(content).length, 0);

const notAsked = (position: number, error: string): ReadJudgement => ({
  position,
  state: 'errored',
  verdict: null,
  agreement: null,
  expectationAtFault: false,
  flipped: false,
  said: null,
  error,
  promptTokens: null,
  completionTokens: null,
  costUsd: null,
});
