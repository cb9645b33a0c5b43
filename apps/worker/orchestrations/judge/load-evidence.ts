import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { describeTools } from '#lib/contracts/prompt-components';
import type { Tool } from '#lib/contracts/tool';
import type { Pool } from '#lib/db/connection/pool';
import { readReplies, type OpenJudgement, type StoredReply } from '#lib/db/read/for-workers/judged-results';
import type { LoadedRun } from '#lib/db/read/for-workers/load-run';
import { loadCases, parseCase } from '#lib/db/read/pinned-cases';
import { caseAsJudged, replyAsJudged, type JudgedCase, type JudgedText } from '#lib/judging/evidence';
import { joinSystemPrompts } from '#lib/providers/system-prompt';
import { toolSetOf } from '#lib/scoring/cases/tool-set';
import { repliesIn, type Exchange } from '../../items/exchange/exchange.js';
import type { Here } from './here.js';

/** What a judge is to see of one judgement; undefined where a result is gone. */
export interface Evidence {
  judged: JudgedCase;
  reply: JudgedText;
  /** Of a comparison: that of the baseline. */
  other?: JudgedText;
}

type Place = Pick<OpenJudgement, 'target' | 'casePosition' | 'sample'>;

/** In the order of the judgements. */
export async function loadEvidence(
  { pool, run, baseline }: Here,
  open: readonly OpenJudgement[],
): Promise<(Evidence | undefined)[]> {
  const cases = new Map(
    (
      await loadCases(
        pool,
        run.suite.versionId,
        open.map(({ casePosition }) => casePosition),
      )
    ).map(({ position, body }) => [position, parseCase(body)]),
  );
  const tools = describeTools(run.suite.tools, run.config.tool_overrides);
  const replies = await repliesOf(pool, run.id, open);
  const others = baseline && (await repliesOf(pool, baseline.id, open.map(placeOfOther)));
  return open.map((one, index): Evidence | undefined => {
    const input = cases.get(one.casePosition);
    const reply = replies[index];
    const other = others?.[index];
    if (!input || !reply || (others && !other)) return undefined;
    return { judged: caseOf(input, tools, run, one.target), reply, ...(other && { other }) };
  });
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

async function repliesOf(pool: Pool, runId: string, places: readonly Place[]): Promise<(JudgedText | undefined)[]> {
  const stored = await readReplies(pool, runId, places);
  return Promise.all(stored.map(async (reply) => reply && replyAsJudged(reply.called, await textOf(reply))));
}

const decompress = promisify(zstdDecompress);
/** A model may write megabytes. What is longer is not shown. */
const MAX_EXCHANGE_BYTES = 2 ** 20;

/** What a model wrote beside its calls, in all rounds of a chain; null where it is nothing, or too long. */
async function textOf({ exchange: packed }: StoredReply): Promise<string | null> {
  if (!packed?.length) return null;
  try {
    const json = (await decompress(packed, { maxOutputLength: MAX_EXCHANGE_BYTES })).toString('utf8');
    const replies = repliesIn(parseJson(json) as unknown as Exchange) ?? [];
    return (
      replies
        .map(({ message }) => textIn(message))
        .join('\n')
        .trim() || null
    );
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

function textIn({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (part as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('\n');
}
