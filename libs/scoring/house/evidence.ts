import type { ErrorType, Evidence, ParsedCall } from '#lib/contracts/verdict';
import { isLeftOut, NOTHING_DECLARED } from '../arguments/match-arguments.js';
import { checkArguments } from '../checks/check-tools.js';
import type { ParsedReply } from '../replies/parse-reply.js';
import type { Pairing, PreparedCase } from './prepared-case.js';

const CUT_OFF = 'The reply ended at its token limit. The calls that it makes are whole.';
const ONLY_CONSIDERED = 'The reply makes its call only in its thoughts, which do not count.';

/** Evidence from the form of a reply. */
export function replyEvidence(
  { syntax, isCut }: Pick<ParsedReply, 'syntax' | 'isCut'>,
  errorType: ErrorType,
): Pick<Evidence, 'syntax' | 'notes'> {
  const isOnlyConsidered = syntax === 'thoughts';
  if (isOnlyConsidered && errorType !== 'no_call' && errorType !== 'incomplete_chain') return {};
  const notes = [isCut && CUT_OFF, isOnlyConsidered && ONLY_CONSIDERED].filter((note) => typeof note === 'string');
  return { ...(syntax && { syntax }), ...(notes.length > 0 && { notes }) };
}

/** Limits the schema problems shown in a verdict. */
const MAX_SCHEMA_PROBLEMS = 200;

/** The evidence for the verdict on one reply. */
export function evidenceOf(prepared: PreparedCase, calls: readonly ParsedCall[], pairing: Pairing): Evidence {
  const { expected, input } = prepared;
  const { candidates, pairs } = pairing;
  const extra = extraArguments(prepared, calls, pairing);
  const schema = schemaProblems(prepared, calls);
  const reportsF1 = input.expected_calls !== undefined && expected.length > 0;
  return {
    pairs: pairs.map((pair) => {
      const match = candidates[pair.expected]![pair.called]!.match;
      return {
        called: pair.called,
        expected: pair.expected,
        param_score: match?.score ?? null,
        arguments: match?.checks ?? [],
      };
    }),
    missing: pairing.missing,
    unexpected: pairing.unexpected,
    ...(extra.length && { extra_arguments: extra }),
    ...(schema.length && { schema }),
    ...(reportsF1 && exactCallScores(expected.length, calls.length, pairing)),
  };
}

/** Pointers to arguments of paired calls that the case does not expect. */
const extraArguments = (
  { expected, declared }: PreparedCase,
  calls: readonly ParsedCall[],
  { pairs }: Pairing,
): string[] =>
  pairs.flatMap((pair) => {
    const params = expected[pair.expected]!.params;
    const { name, arguments: args } = calls[pair.called]!;
    if (!params || !args) return [];
    const ofTool = declared.get(name.toLowerCase()) ?? NOTHING_DECLARED;
    return Object.keys(args)
      .filter((key) => !Object.hasOwn(params, key) && !isLeftOut(key, args[key]!, ofTool))
      .map((key) => `/${pair.called}/${key}`);
  });

function schemaProblems({ tools }: PreparedCase, calls: readonly ParsedCall[]): NonNullable<Evidence['schema']> {
  const problems: NonNullable<Evidence['schema']> = [];
  for (const [index, call] of calls.entries()) {
    if (problems.length >= MAX_SCHEMA_PROBLEMS) break;
    const tool = tools.get(call.name.toLowerCase());
    if (tool && call.arguments) problems.push(...checkArguments(tool, call.arguments, index));
  }
  return problems;
}

/** Precision, recall and F1 over calls that match exactly. */
function exactCallScores(
  expected: number,
  called: number,
  { candidates, pairs }: Pairing,
): Pick<Evidence, 'precision' | 'recall' | 'f1'> {
  const exact = pairs.filter((pair) => candidates[pair.expected]![pair.called]!.weight === 1).length;
  const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
  return {
    precision: ratio(exact, called),
    recall: ratio(exact, expected),
    f1: ratio(2 * exact, called + expected),
  };
}
