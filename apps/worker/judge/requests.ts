import { MAX_JUDGED } from '#lib/judge/contract';
import { PROMPT_OF_SUITE } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { NewChildRun } from '#lib/db/engine/orchestrations';
import type { OpenJudgement } from '#lib/judge/rows/for-workers/judged-results';
import type { ReportContext } from './report-context.js';

/** The request for the summary, numbered after those of all judgements. */
export const SUMMARY_REQUEST = 2 * MAX_JUDGED;

/** The request numbers of a judgement: two when its reply is suspicious, or compared with another one. */
export const requestsOf = ({ position, suspicious, otherTarget }: OpenJudgement): [number, number] | [number] =>
  suspicious || otherTarget !== null ? [2 * position, 2 * position + 1] : [2 * position];

/** What a run asks the judge for: a batch (`ask`), its unreadable part once more (`again`), or the summary. */
export interface Asking {
  step: 'ask' | 'again' | 'summary';
  arm: string;
  requests: readonly number[];
}

/** A run of requests to the judge. A repeated request is a new request, so that no cached reply answers it. */
export function asking({ orchestration: { id }, report: { asked }, judge }: ReportContext, what: Asking): NewChildRun {
  const isAgain = what.step === 'again' || what.arm === AGAIN;
  const samples = what.step === 'summary' ? 1 : asked.samples;
  return {
    step: what.step,
    arm: what.arm,
    submit: {
      suiteId: id,
      input: {
        ...PROMPT_OF_SUITE,
        system_prompt: null,
        metrics: [],
        case_filter: null,
        model_order: 'parallel',
        budget: null,
        experiment_id: null,
        temperature: asked.temperature,
        max_tokens: asked.max_tokens,
        timeout_s: asked.timeout_s,
        params: asked.params,
        tool_choice: 'required',
        samples,
        cache: asked.temperature === 0 && !isAgain ? 'use' : 'off',
        models: [targetName(judge)],
        prompt_cache: 'off',
        suite_id: id,
      },
      targets: [judge],
      of: {
        suiteVersionId: id,
        positions: what.requests.toSorted((a, b) => a - b),
        firstSample: isAgain ? samples : 0,
        isOwn: true,
      },
    },
  };
}

/** The arm of a repeated summary request. */
export const AGAIN = 'again';
