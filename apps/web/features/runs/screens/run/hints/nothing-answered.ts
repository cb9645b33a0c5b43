import { named, type Hint, type HintInput } from './hint';

const MAX_TESTED = 3;

/** If every item errored, the cause is the provider, not the model. */
export function nothingAnswered({ run, groups }: HintInput): Hint | undefined {
  const models = run.summaries.filter(({ scored, errored }) => scored === 0 && errored > 0).map(({ target }) => target);
  if (models.length === 0) return undefined;
  const providers = run.targets
    .filter(({ target, recorded }) => models.includes(target) && recorded === undefined)
    .map(({ provider_key: key }) => key);
  const ordinals = models.map((model) => groups?.targets.indexOf(model) ?? -1);
  const group = groups?.items.find(
    ({ error_type: type, by_target: by }) => type === 'errored' && ordinals.some((at) => (by[at] ?? 0) > 0),
  );
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
