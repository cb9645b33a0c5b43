import type { ErrorType, ParsedCall } from '#lib/contracts/verdict';
import type { Pairing, PreparedCase } from './prepared-case.js';

/** The error taxonomy of a single reply: the first type that applies. */
export function errorTypeOf(
  { input, abstention, tools }: PreparedCase,
  calls: readonly ParsedCall[],
  { candidates, pairs, missing, unexpected }: Pairing,
  { isMalformed, hasForbiddenCall }: { isMalformed: boolean; hasForbiddenCall: boolean },
): ErrorType {
  if (abstention) return calls.length === 0 ? 'none' : 'unexpected_call';
  if (calls.length === 0) return 'no_call';
  if (isMalformed) return 'malformed_arguments';
  if (missing.length > 0) {
    const callsUnknownTool = unexpected.some((index) => !tools.has(calls[index]!.name.toLowerCase()));
    if (callsUnknownTool) return 'unknown_tool';
    return input.expected_calls === undefined ? 'wrong_tool' : 'incomplete_chain';
  }
  const checks = pairs.flatMap(({ expected, called }) => candidates[expected]![called]!.match?.checks ?? []);
  if (checks.some((check) => check.verdict === 'missing')) return 'missing_argument';
  if (checks.some((check) => check.verdict === 'mismatch')) return 'wrong_argument';
  return hasForbiddenCall ? 'extra_call' : 'none';
}
