import { eachCount } from '#lib/contracts/token-counts';
import type { TryInput, TryResult } from '#lib/contracts/try';
import type { Caller } from '#lib/db/catalogue/callers';
import type { ResultDetails } from '#lib/db/read/results';
import { expectedBy } from '#lib/db/read/result-rows';
import { explainResult } from '#lib/scoring/house/explain-result';
import { conversationOf, exchangeOf, replyTextsOf } from '../results/exchange-of.js';

/** A model's result for the case. */
export function toTryResult(found: ResultDetails, caller: Pick<Caller, 'role'>): TryResult {
  const { result } = found;
  const conversation = conversationOf(found);
  return {
    target: result.target,
    outcome: result.outcome,
    passed: result.passed,
    tool_score: result.tool_score,
    param_score: result.param_score,
    overall: result.overall,
    error_type: result.error_type,
    format_compliance: result.format_compliance,
    syntax: result.syntax,
    expected: result.expected,
    called: result.called,
    evidence: result.evidence,
    metrics: result.metrics,
    latency_ms: result.latency_ms,
    usage: result.usage,
    cost_usd: result.cost_usd,
    cost_reported: result.cost_reported,
    attempts: result.attempts,
    error: result.error,
    tool_choice_used: result.tool_choice_used,
    explanation: explainResult(found),
    said: replyTextsOf(found),
    ...(conversation && { conversation }),
    exchange: exchangeOf(found, { config: {} }, caller),
  };
}

/** @param reason why there was no answer, as the end of a sentence */
export function noAnswerResult(
  target: string,
  { deadline_s: seconds, case: tried }: Pick<TryInput, 'deadline_s' | 'case'>,
  reason: string | undefined,
): TryResult {
  const message = `No answer within ${seconds} s${reason === undefined ? '.' : `: ${reason}`}`;
  return {
    target,
    outcome: 'errored',
    passed: false,
    tool_score: null,
    param_score: null,
    overall: null,
    error_type: 'errored',
    format_compliance: null,
    syntax: null,
    expected: expectedBy(tried),
    called: [],
    evidence: null,
    metrics: {},
    latency_ms: null,
    usage: eachCount(() => null),
    cost_usd: null,
    cost_reported: false,
    attempts: 0,
    error: { kind: 'unanswered', message },
    tool_choice_used: null,
    explanation: [message],
    said: [],
    exchange: null,
  };
}

/** Total cost of the results; null if a model that answered has no price. */
export function costOf(results: readonly TryResult[]): number | null {
  const answered = results.filter(({ outcome }) => outcome === 'scored');
  if (answered.some(({ cost_usd: cost }) => cost === null)) return null;
  return results.reduce((sum, { cost_usd: cost }) => sum + (cost ?? 0), 0);
}
