import { atLimit, raiseLimit } from '#lib/contracts/reply-notes';
import { countIn, modelsWith, named, number, type Hint, type HintInput } from './hint';

const MAX_TESTED = 3;

/** If every item errored, the cause is the provider, not the model. */
export function nothingAnswered({ run, groups }: HintInput): Hint | undefined {
  const models = run.summaries.filter(({ scored, errored }) => scored === 0 && errored > 0).map(({ target }) => target);
  if (models.length === 0) return undefined;
  const providers = run.targets
    .filter(({ target, recorded }) => models.includes(target) && recorded === undefined)
    .map(({ provider_key: key }) => key);
  const group = groups?.items.find((one) => one.error_type === 'errored' && countIn(one, groups.targets, models) > 0);
  return {
    key: 'nothing answered',
    words: [
      'Every item of ',
      ...named(models),
      ' errored: there is no reply to score, so this says nothing about tool calling.',
      ...(group ? [' The provider says:'] : []),
    ],
    ...(group && { errorOf: group.example }),
    steps: [
      ...[...new Set(providers)].slice(0, MAX_TESTED).map((providerKey) => ({ to: 'test' as const, providerKey })),
      { to: 'results', words: 'Errored results', search: { model: models, type: ['errored'] } },
    ],
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

/** A reply truncated at its token limit does not show what the model would have called. */
export function cutOffReplies(known: HintInput): Hint | undefined {
  const found = modelsWith(known, ({ cutOff }) => cutOff);
  if (!found) return undefined;
  const { limit } = found.figures[0]!;
  return {
    key: 'cut off',
    words: [
      ...found.words,
      ` ended ${atLimit(limit)} before a call was complete, and score 0. To see what the model would have called, `,
      `${raiseLimit(limit)}.`,
    ],
    steps: [
      ...(known.run.config.recorded === true
        ? []
        : [{ to: 'run again' as const, words: 'Run again with another limit' }]),
      { to: 'results', words: 'Replies that were cut off', search: { model: found.models, type: ['cut_off'] } },
    ],
  };
}

/** Neither does a refused reply. */
export function refusedReplies(known: HintInput): Hint | undefined {
  const found = modelsWith(known, ({ refused }) => refused);
  return (
    found && {
      key: 'refused',
      words: [
        ...found.words,
        ' declined to answer, or were cut by a filter of the host, and score 0. Reword the cases that are refused, or ',
        'change the safety settings of the host in params.',
      ],
      steps: [{ to: 'results', words: 'Refused replies', search: { model: found.models, type: ['refused'] } }],
    }
  );
}
