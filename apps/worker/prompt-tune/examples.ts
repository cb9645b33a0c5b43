import type { CaseInput } from '#lib/contracts/case';
import type { Verdict } from '#lib/contracts/verdict';
import type { Pool } from '#lib/db/connection/pool';
import { readWorstResults, type Trace } from '#lib/prompt-tune/rows/for-workers/candidate-results';
import { loadCases, parseCase } from '#lib/db/read/pinned-cases';
import { explain } from '#lib/scoring/house/explain';
import { promptOf } from '#lib/prompt-tune/case-texts';
import { shorten, type Example } from '#lib/prompt-tune/meta-request';

/** A case that the meta model may see, with a candidate's result. */
export interface SeenCase {
  position: number;
  example: Example;
  /** The expected and the called tools, if it failed. */
  toolsOfFailure: string[];
}

/** Cases before any result is known: without their expected values. */
export async function prompts(pool: Pool, versionId: string, positions: readonly number[]): Promise<Example[]> {
  const cases = await readInputs(pool, versionId, positions);
  return cases.map(({ input }) => ({
    prompt: shorten(promptOf(input)) as string,
    expected: expectedOf(input).map(({ tool, params }) => ({ tool, arguments: params && Object.keys(params) })),
  }));
}

/** Cases with their worst result in some runs. */
export async function seenCases(
  pool: Pool,
  versionId: string,
  { runIds, positions }: { runIds: readonly string[]; positions: readonly number[] },
): Promise<SeenCase[]> {
  const traces = new Map((await readWorstResults(pool, runIds, positions)).map((trace) => [trace.position, trace]));
  const cases = await readInputs(pool, versionId, positions);
  return cases.map(({ position, input }) => ({ position, ...seen(input, traces.get(position)) }));
}

async function readInputs(
  pool: Pool,
  versionId: string,
  positions: readonly number[],
): Promise<{ position: number; input: CaseInput }[]> {
  const stored = new Map((await loadCases(pool, versionId, positions)).map((one) => [one.position, one]));
  return positions.flatMap((position) => {
    const found = stored.get(position);
    return found ? [{ position, input: parseCase(found.body) }] : [];
  });
}

function seen(input: CaseInput, trace: Trace | undefined): Pick<SeenCase, 'example' | 'toolsOfFailure'> {
  const expected = expectedOf(input);
  const base: Example = {
    prompt: shorten(promptOf(input)) as string,
    expected: shorten(expected.map(({ tool, params }) => ({ tool, arguments: params }))),
  };
  if (!trace) return { example: base, toolsOfFailure: [] };
  const { overall, called, errorType } = trace;
  const tools = [...expected.flatMap(({ tool }) => [tool].flat()), ...(called ?? []).map(({ name }) => name)];
  return {
    example: {
      ...base,
      called: called
        ? shorten(called.map((call) => ({ tool: call.name, arguments: call.arguments ?? call.raw })))
        : 'Too long to be shown.',
      ...(trace.evidence && {
        explanation: explain(verdictOf(trace), input).map((sentence) => shorten(sentence) as string),
      }),
      error_type: errorType,
      score: overall,
    },
    toolsOfFailure: overall < 1 ? [...new Set(tools)] : [],
  };
}

const verdictOf = ({ evidence, errorType, formatCompliance, ...trace }: Trace): Verdict =>
  ({
    ...trace,
    ...evidence?.chain,
    evidence,
    error_type: errorType,
    format_compliance: formatCompliance,
  }) as unknown as Verdict;

/** The calls that a case expects: empty when it expects no call. */
function expectedOf({
  expected_tool: tool,
  expected_params: params,
  expected_calls: calls,
  should_call_tool: should,
}: CaseInput): { tool: string | string[]; params: object | undefined }[] {
  if (calls) return calls.map((call) => ({ tool: call.tool, params: call.params ?? undefined }));
  return should === false || tool == null ? [] : [{ tool, params: params ?? undefined }];
}
