import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { describeTools } from '#lib/contracts/prompt-components';
import type { Tool } from '#lib/contracts/tool';
import {
  readReplies,
  readSmallCases,
  type OpenJudgement,
  type StoredReply,
} from '#lib/judge/rows/for-workers/judged-results';
import type { LoadedRun } from '#lib/db/read/for-workers/load-run';
import { parseCase } from '#lib/db/read/pinned-cases';
import { exchangeJson } from '#lib/db/read/stored-exchange';
import { caseAsJudged, replyAsJudged, type JudgedCase, type JudgedText } from '#lib/judge/evidence';
import { MAX_REQUEST_CHARS } from '#lib/judge/judge-request';
import { joinSystemPrompts } from '#lib/providers/system-prompt';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { repliesIn, type Exchange } from '../scoring/exchange.js';
import type { ReportContext } from './report-context.js';

/** What a judge is shown for one judgement; undefined when a result is gone. */
export interface Evidence {
  judged: JudgedCase;
  reply: JudgedText;
  /** In a comparison: the baseline's reply. */
  other?: JudgedText;
}

type Place = Pick<OpenJudgement, 'target' | 'casePosition' | 'sample'>;

/**
 * Reads what is shown for judgements. Cases above the size limit of a request are left out.
 * @returns a function that builds the evidence of one of them, so that only one is in memory
 */
export async function loadEvidence(
  { pool, run, baseline }: ReportContext,
  open: readonly OpenJudgement[],
): Promise<(index: number) => Promise<Evidence | undefined>> {
  const positions = open.map(({ casePosition }) => casePosition);
  const cases = await readSmallCases(pool, run.suite.versionId, positions, MAX_REQUEST_CHARS);
  const tools = describeTools(run.suite.tools, run.config.tool_overrides);
  const replies = await readReplies(pool, run.id, open);
  const others = baseline && (await readReplies(pool, baseline.id, open.map(placeOfOther)));
  return async (index) => {
    const { casePosition, target } = open[index]!;
    const body = cases.get(casePosition);
    const reply = await shown(replies[index]);
    const other = await shown(others?.[index]);
    if (body === undefined || !reply || (others && !other)) return undefined;
    return { judged: caseOf(parseCase(body), tools, run, target), reply, ...(other && { other }) };
  };
}

const placeOfOther = ({ otherTarget, otherCasePosition, otherSample }: OpenJudgement): Place => ({
  target: otherTarget!,
  casePosition: otherCasePosition!,
  sample: otherSample!,
});

function caseOf(input: CaseInput, tools: readonly Tool[], run: LoadedRun, target: number): JudgedCase {
  const { base_prompt: base } = run.config;
  const own = run.targets.find(({ ordinal }) => ordinal === target)?.systemPrompt ?? null;
  return caseAsJudged(input, toolSetOf(input, tools), joinSystemPrompts(base ?? run.suite.systemPrompt, own));
}

const shown = async (reply: StoredReply | undefined): Promise<JudgedText | undefined> =>
  reply && replyAsJudged(reply.called, await textOf(reply));

/** A model may write megabytes. Longer exchanges are not shown. */
const MAX_EXCHANGE_BYTES = 2 ** 20;

/** The model's text outside of its calls, in all rounds of a chain; null when there is none, or it is too long. */
async function textOf({ exchange: packed }: StoredReply): Promise<string | null> {
  if (!packed?.length) return null;
  const json = await exchangeJson(packed, MAX_EXCHANGE_BYTES);
  if (!json) return null;
  const replies = repliesIn(parseJson(json.toString('utf8')) as unknown as Exchange) ?? [];
  return (
    replies
      .map(({ message }) => textIn(message))
      .join('\n')
      .trim() || null
  );
}

function textIn({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (part as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('\n');
}
