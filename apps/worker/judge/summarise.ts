import { note, withNote } from '#lib/contracts/note';
import { storeRequests, type JudgeStep } from '#lib/judge/rows/store-report';
import type { Step } from '#lib/db/engine/orchestrations';
import { readJudgeReplies, readLines } from '#lib/judge/rows/for-workers/judged-results';
import type { StoredReasons } from '#lib/judge/rows/judge-reports';
import { hashSample } from '#lib/judge/hash-sample';
import { askForSummary, type JudgedLine } from '#lib/judge/judge-request';
import { readSummary } from '#lib/judge/read-reply';
import { spentBudget } from '../orchestration/kind.js';
import { endReport } from './end-report.js';
import type { ReportContext } from './report-context.js';
import { AGAIN, asking, SUMMARY_REQUEST } from './requests.js';

/** Maximum number of judgements in the summary request. */
const MAX_LINES = 200;
const WORDS: Record<string, string> = { win: 'the new one is better', loss: 'the old one is better', tie: 'equal' };

/**
 * Has the judge summarise its judgements, parses the summary, and ends the report. An unreadable summary is omitted.
 */
export async function summarise(here: ReportContext): Promise<Step> {
  const { pool, orchestration } = here;
  const end = spentBudget(orchestration);
  if (end) return endReport(here, end);
  const runs = orchestration.children.filter(({ step }) => step === 'summary');
  if (runs.length === 0) return askFor(here);
  const replies = await readJudgeReplies(
    pool,
    runs.map(({ id }) => id),
    [SUMMARY_REQUEST],
  );
  const read = replies.map(({ called, error }) => error ?? readSummary(called));
  const summary = read.find((one) => typeof one !== 'string');
  if (summary) return endReport({ ...here, state: { ...here.state, summary } });
  if (runs.length === 1)
    return {
      state: here.state,
      next: 'summarise' satisfies JudgeStep,
      children: [asking(here, { step: 'summary', arm: AGAIN, requests: [SUMMARY_REQUEST] })],
    };
  const missing = note('no_summary', `There is no summary: ${String(read.at(-1) ?? 'the judge gave no reply.')}`);
  return endReport({ ...here, state: withNote(here.state, missing) });
}

async function askFor(here: ReportContext): Promise<Step> {
  const { pool, orchestration, rules } = here;
  const lines = hashSample(await readLines(pool, orchestration.id), MAX_LINES, ({ position }) => String(position));
  const input = lines.length > 0 ? askForSummary(lines.map(lineOf), rules) : undefined;
  if (!input) return endReport(here);
  return {
    state: here.state,
    next: 'summarise' satisfies JudgeStep,
    children: [asking(here, { step: 'summary', arm: 'first', requests: [SUMMARY_REQUEST] })],
    store: (client) => storeRequests(client, orchestration.id, [{ position: SUMMARY_REQUEST, input }]),
  };
}

function lineOf({ verdict, said: json }: { verdict: string; said: string }): JudgedLine {
  const { judged, reasons } = JSON.parse(json) as StoredReasons;
  return {
    verdict: WORDS[verdict] ?? verdict,
    ...(judged && { tool: judged.tool, arguments: judged.arguments }),
    reasons,
    ...(judged?.expectation_note && { expectation_note: judged.expectation_note }),
  };
}
