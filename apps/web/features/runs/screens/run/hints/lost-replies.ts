import { atLimit, raiseLimit, replyFigures, type ReplyFigures } from '#lib/contracts/reply-notes';
import { syntaxName } from '#lib/contracts/values/verdicts';
import { named, type Hint, type HintInput, type HintWords } from './hint';

const MAX_COUNTED = 3;
const number = (n: number): string => n.toLocaleString('en');

/** Models with some replies of a kind, largest share first. */
function modelsWith(
  { run }: HintInput,
  countOf: (of: ReplyFigures) => number,
): { words: HintWords; models: ReplyFigures[] } {
  const models = run.summaries
    .map((summary) => replyFigures(summary, run.config))
    .filter((one) => countOf(one) > 0)
    .sort((one, other) => countOf(other) / other.scored - countOf(one) / one.scored);
  const words = models
    .slice(0, MAX_COUNTED)
    .flatMap((one, index): HintWords => [
      `${index > 0 ? ', ' : ''}${number(countOf(one))} of ${number(one.scored)} replies of `,
      { given: one.target },
    ]);
  const more = models.length - MAX_COUNTED;
  return { models, words: more > 0 ? [...words, ` and replies of ${more} more`] : words };
}

const namesOf = (models: readonly ReplyFigures[]): string[] => models.map(({ target }) => target);

/** A reply truncated at its token limit does not show what the model would have called. */
export function cutOffReplies(known: HintInput): Hint | undefined {
  const { models, words } = modelsWith(known, ({ cutOff }) => cutOff);
  const [first] = models;
  if (!first) return undefined;
  return {
    key: 'cut off',
    words: [
      ...words,
      ` ended ${atLimit(first.limit)} before a call was complete, and score 0. To see what the model would have `,
      `called, ${raiseLimit(first.limit)}.`,
    ],
    steps: [
      ...(known.run.config.recorded === true
        ? []
        : [{ to: 'run again' as const, words: 'Run again with another limit' }]),
      { to: 'results', words: 'Replies that were cut off', search: { model: namesOf(models), type: ['cut_off'] } },
    ],
  };
}

/** Neither does a refused reply. */
export function refusedReplies(known: HintInput): Hint | undefined {
  const { models, words } = modelsWith(known, ({ refused }) => refused);
  if (models.length === 0) return undefined;
  return {
    key: 'refused',
    words: [
      ...words,
      ' declined to answer, or were cut by a filter of the host, and score 0. Reword the cases that are refused, or ',
      'change the safety settings of the host in params.',
    ],
    steps: [{ to: 'results', words: 'Refused replies', search: { model: namesOf(models), type: ['refused'] } }],
  };
}

/** A filter that blocks a request keeps it from the model and out of every average. */
export function blockedRequests({ groups }: HintInput): Hint | undefined {
  const blocked = (groups?.items ?? []).filter(
    ({ error_type: type, called_tool: kind }) => type === 'errored' && kind === 'blocked',
  );
  const [first] = blocked;
  if (!first) return undefined;
  const models = groups!.targets.filter((_, at) => blocked.some(({ by_target: by }) => (by[at] ?? 0) > 0));
  const n = blocked.reduce((sum, { count }) => sum + count, 0);
  return {
    key: 'blocked',
    words: [
      `A filter blocked ${n === 1 ? '1 request' : `${number(n)} requests`} to `,
      ...named(models),
      ' before the model answered, so they count in no average. Reword these cases, or change the filter of the host. ',
      'It says:',
    ],
    errorOf: first.example,
    steps: [{ to: 'failures', words: 'See all', group: first.id }],
  };
}

/** Calls in another model family's syntax: the host does not know how this model writes its calls. */
export function callsInText(known: HintInput): Hint | undefined {
  const { models, words } = modelsWith(known, ({ syntaxes }) => syntaxes.reduce((sum, [, n]) => sum + n, 0));
  if (models.length === 0) return undefined;
  const syntaxes = [...new Set(models.flatMap((one) => one.syntaxes.map(([syntax]) => syntax)))];
  return {
    key: 'calls in the text',
    words: [
      ...words,
      ` have calls that were left in the text in the syntax of ${syntaxes.map(syntaxName).join(' and ')}: `,
      `${models.length === 1 ? 'its host is' : 'their hosts are'} set up for another model. Set its tool-call `,
      'parser and chat template there. The calls were still read and scored.',
    ],
    steps: [{ to: 'results', words: 'Calls in the text', search: { model: namesOf(models), syntax: syntaxes } }],
  };
}

/** A call that is only in the model's thoughts does not count. */
export function callsInThoughts(known: HintInput): Hint | undefined {
  const { models, words } = modelsWith(known, ({ onlyThought }) => onlyThought);
  if (models.length === 0) return undefined;
  return {
    key: 'calls in thoughts',
    words: [
      ...words,
      ' make their call only in the thoughts, which does not count. Check the reasoning parser of the host: it may ',
      'treat the answer as part of the thoughts.',
    ],
    steps: [{ to: 'results', words: 'Calls in thoughts', search: { model: namesOf(models), syntax: ['thoughts'] } }],
  };
}
