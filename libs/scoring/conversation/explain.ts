import type { CaseInput } from '#lib/contracts/case';
import type { ConversationEvidence } from '#lib/contracts/conversation-played';
import type { Verdict } from '#lib/contracts/verdict';

const MAX_CHARACTERS = 120;
const MAX_SENTENCES = 5;

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 3)}...` : text;
};
const times = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** A few of some sentences, and how many more there are: never one alone. */
const some = (sentences: string[], what: string): string[] =>
  sentences.length <= MAX_SENTENCES + 1
    ? sentences
    : [...sentences.slice(0, MAX_SENTENCES), `And ${sentences.length - MAX_SENTENCES} more ${what}.`];

/** How a conversation ended, and what its goal says of it, in sentences that name call, pointer and value. */
export function explainConversation(
  { called, passed }: Pick<Verdict, 'called' | 'passed'>,
  evidence: ConversationEvidence,
): string[] {
  const nameOf = (index: number): string => `call ${index + 1}, ${called[index]?.name ?? 'a later one'}`;
  const forbidden = evidence.forbidden_calls.map(
    ({ called: index }) =>
      `The model makes a forbidden call: ${nameOf(index)} with ` +
      `${show(called[index]?.arguments ?? null)}. So the overall score is 0.`,
  );
  const failed = evidence.failed_calls.map(
    ({ called: index, answer }) => `An error answers ${nameOf(index)}: ${show(answer)}.`,
  );
  return [
    `The conversation has ${times(evidence.rounds, 'round')} and ${times(called.length, 'call')}. ` +
      ENDINGS[evidence.end],
    ...some(forbidden, 'forbidden calls'),
    ...explainState(evidence),
    ...explainAnswer(evidence),
    ...some(failed, 'calls that an error answers'),
    ...explainWays(evidence, passed),
  ];
}

const ENDINGS: Record<ConversationEvidence['end'], string> = {
  answered: 'It ended with an answer.',
  round_limit: 'It reached a limit, so it does not pass.',
  cut_off: 'The last reply ended at its token limit, so it does not pass.',
  refused: "The model declined to go on, or its host's filter cut the last reply, so it does not pass.",
  refused_round: 'The host refused what the model wrote, so it does not pass.',
  oversized: 'The last reply is too large to go on, so it does not pass.',
};

function explainState({ goal_state: places, state }: ConversationEvidence): string[] {
  if (state === null) return [];
  if (state === 1) return ['At the end, the state is as the goal says.'];
  const wrong = places
    .filter(({ holds }) => !holds)
    .map(({ pointer, expected, actual }) =>
      actual === undefined
        ? `At the end, the state has nothing at "${pointer}", expected ${show(expected)}.`
        : `At the end, "${pointer}" is ${show(actual)}, expected ${show(expected)}.`,
    );
  return some(wrong, 'places of the state');
}

function explainAnswer({ goal_answer: checks, answer }: ConversationEvidence): string[] {
  if (answer === null) return [];
  if (answer === 1) return ['The answers say what the goal asks for.'];
  const wrong = checks
    .filter(({ holds }) => !holds)
    .map(({ check, note }) => note ?? `Check ${check + 1} of the answer fails.`);
  return some(wrong, 'checks of the answer');
}

function explainWays(evidence: ConversationEvidence, passed: boolean): string[] {
  const { repeated_failures: repeated, calls_after_goal: after, fabricated, recovered } = evidence;
  return [
    repeated > 0 && `${times(repeated, 'call')} ${repeated === 1 ? 'repeats' : 'repeat'} one that failed before.`,
    after > 0 && `${times(after, 'call')} ${after === 1 ? 'follows' : 'follow'} after the goal was reached.`,
    fabricated === 1 && 'The model claims what did not happen: its answers say it, and the state does not.',
    recovered === 1 && passed && 'It reached the goal in spite of the error.',
  ].filter((sentence) => typeof sentence === 'string');
}

/** The calls that the goal names, for the words that explain how they were paired. */
export const asExpectedCalls = (input: CaseInput): CaseInput =>
  input.conversation ? { ...input, expected_calls: input.conversation.goal.calls } : input;
