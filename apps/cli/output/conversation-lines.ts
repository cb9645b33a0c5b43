import type { ExplainedResult } from '#lib/client/api-client';
import type { AnsweredCall, Change, ConversationEvidence } from '#lib/contracts/conversation-played';
import type { Conversation } from '#lib/contracts/conversation';
import type { PlayedRound } from '#lib/contracts/conversation-played';

type Shown = Pick<ExplainedResult, 'prompt' | 'said' | 'evidence' | 'exchange'> & { conversation?: unknown };

const MAX_TEXT = 500;

/**
 * A conversation as it was played: user, model, call, answer, what changed in the state, and what the goal says. Empty
 * for results of other cases.
 */
export function conversationLines(result: Shown, isFull: boolean): string[] {
  const { evidence } = result;
  const played = result.exchange?.conversation ?? [];
  if (!result.conversation || (played.length === 0 && !evidence?.conversation)) return [];
  const { goal } = result.conversation as Conversation;
  const line = (what: string, text: string): string[] => linesOf(what, isFull ? text : shortened(text));
  return [
    ...(played.length ? line('User', result.prompt) : []),
    ...played.flatMap((round, index) => roundLines(round, result.said?.[index]?.text ?? null, line)),
    ...(evidence?.conversation ? goalLines(evidence.conversation, goal, line) : []),
  ];
}

type Line = (what: string, text: string) => string[];

const roundLines = ({ calls, user }: PlayedRound, said: string | null, line: Line): string[] => [
  ...(said === null ? [] : line('Model', said)),
  ...calls.flatMap((call) => callLines(call, line)),
  ...(user === null ? [] : line('User', user)),
];

const callLines = ({ name, arguments: given, answer, is_error, changes }: AnsweredCall, line: Line): string[] => [
  ...line('Call', `${name}(${given === null ? 'unreadable' : JSON.stringify(given)})`),
  ...line(is_error ? 'Error' : 'Answer', answer),
  ...changes.filter(({ op }) => op !== 'test').flatMap((change) => line('Changed', changeText(change))),
];

/** "/orders/17/status: "packed" -> "cancelled"". */
function changeText({ op, path, from, value, was }: Change): string {
  if (op === 'move' || op === 'copy') return `${from ?? ''} ${op === 'move' ? 'moved' : 'copied'} to ${path}`;
  const before = was === undefined ? 'nothing' : JSON.stringify(was);
  return `${path || 'the whole state'}: ${before} -> ${op === 'remove' ? 'removed' : JSON.stringify(value)}`;
}

function goalLines(
  { goal_state: state, goal_answer: answers, end }: ConversationEvidence,
  { answer: checks = [] }: Conversation['goal'],
  line: Line,
): string[] {
  return [
    ...line('Ended', end.replaceAll('_', ' ')),
    ...state.flatMap(({ pointer, holds, expected, actual }) => {
      const is = actual === undefined ? 'nothing' : JSON.stringify(actual);
      return line(
        'Goal',
        `${pointer} ${holds ? `is ${is}: holds` : `should be ${JSON.stringify(expected)}, and is ${is}`}`,
      );
    }),
    ...answers.flatMap(({ check, holds, note }) => {
      const verdict = holds ? 'holds' : `does not hold${note === undefined ? '' : `: ${note}`}`;
      return line('Goal', `answer ${JSON.stringify(checks[check])} ${verdict}`);
    }),
  ];
}

/** The first line stands beside its name, the others below. */
function linesOf(what: string, text: string): string[] {
  const [first = '', ...rest] = text.split('\n');
  return [`${what.padEnd(10)} ${first}`, ...rest.map((one) => `${' '.repeat(11)}${one}`)];
}

const shortened = (text: string): string =>
  text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT).toWellFormed()}... ${(text.length - MAX_TEXT).toLocaleString('en')} more ` +
      'characters; --full shows them';
