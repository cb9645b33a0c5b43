import type { ExpectedCall } from '#lib/contracts/scoring-config';
import type { ParsedCall } from '#lib/contracts/verdict';
import { plainArguments } from '../arguments/matchers.js';
import { expectedCalls } from '../house/score-case.js';
import { countedCalls } from '../house/score-chain.js';
import type { MetricInput, NamedCall, PlayedCase } from './metric.js';

export const NO_ARGUMENTS: MetricInput = {
  notApplicable: 'The case says nothing of the arguments, and the metric compares them.',
};

/** Metrics compare calls with expected ones, and the goal of a conversation need not name any. */
export const NO_CALLS: MetricInput = { notApplicable: 'The goal of the conversation names no calls.' };

/**
 * The calls of a played case as `parseReply` reads them, including repaired ones, and the expected calls. For a chain,
 * the calls up to the expected one, compared with the expected one alone. If the case accepts several names, the
 * expected name is the one that was called.
 */
export function callsOf({ case: input, rounds }: PlayedCase) {
  const expected = expectedCalls(input);
  const replies = input.multi_turn
    ? countedCalls(
        input,
        rounds.map(({ reply }) => reply),
      )
    : rounds.map(({ reply }) => reply.calls);
  const calls = replies.flat();
  return { expected, replies, calls, names: namesFor(expected, calls) };
}

/**
 * The input of a metric that compares the calls of each reply. If it compares arguments, it does so exactly: it does
 * not apply to a case with matchers or without expected arguments.
 */
export function comparedCalls(
  played: PlayedCase,
  comparesArguments = true,
  toInput = (replies: NamedCall[][], expected: NamedCall[]): MetricInput => ({
    input: { called: replies.flat(), expected },
  }),
): MetricInput {
  if (played.case.conversation && !played.case.conversation.goal.calls) return NO_CALLS;
  const { expected, replies, names } = callsOf(played);
  if (comparesArguments) {
    if (expected.some(({ params }) => !params)) return NO_ARGUMENTS;
    if (expected.some(({ params }) => !plainArguments(params!)))
      return { notApplicable: 'The case expects matchers, and the metric compares values exactly.' };
  }
  const wanted = expected.map(({ params }, index): NamedCall => ({
    name: names[index]!,
    arguments: (params && plainArguments(params)) ?? params ?? {},
  }));
  return toInput(
    replies.map((calls) => calls.map(plain)),
    wanted,
  );
}

/** Unreadable arguments match no expected ones, so only the name of the call counts. */
const plain = (call: ParsedCall): NamedCall => ({
  name: call.name,
  arguments: call.arguments ?? { '(unreadable)': call.raw ?? '' },
});

/**
 * The expected names. From several acceptable names it takes one that was called, using each call at most once.
 * Expected calls with the fewest names choose first.
 */
function namesFor(expected: readonly ExpectedCall[], calls: readonly ParsedCall[]): string[] {
  const left = calls.map((call) => call.name);
  const names: string[] = [];
  const choices = expected
    .map((call, index) => ({ index, accepted: [call.tool].flat() }))
    .sort((a, b) => a.accepted.length - b.accepted.length);
  for (const { index, accepted } of choices) {
    const name = (names[index] = accepted.find((one) => left.includes(one)) ?? accepted[0]!);
    if (left.includes(name)) left.splice(left.indexOf(name), 1);
  }
  return names;
}
