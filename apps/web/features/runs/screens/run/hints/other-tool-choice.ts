import { named, type Hint, type HintInput } from './hint';

const MAX_REASONS = 2;

/** The tool choice sent differs from the requested one: how often, and why. */
export function otherToolChoice({ run }: HintInput): Hint | undefined {
  const { tool_choice: asked } = run.config;
  if (typeof asked !== 'string') return undefined;
  let [others, all] = [0, 0];
  const sent = new Set<string>();
  const models = new Set<string>();
  for (const { target, tool_choice_used: used } of run.summaries)
    for (const [choice, n] of Object.entries(used)) {
      all += n;
      if (choice === asked || n === 0) continue;
      others += n;
      sent.add(choice);
      models.add(target);
    }
  if (others === 0) return undefined;
  const reasons = run.warnings.flatMap(({ code, message }) =>
    message !== null && code.startsWith('tool_choice:') ? [message] : [],
  );
  return {
    key: 'other tool choice',
    words: [
      `${others.toLocaleString('en')} of ${all.toLocaleString('en')} results that expect a call were asked with `,
      `${[...sent].join(' or ')} instead of ${asked}: those of `,
      ...named([...models]),
      '. Compare them with care: under auto a model may answer with text.',
      ...reasons.slice(0, MAX_REASONS).flatMap((given) => [' ', { given }]),
      ...(reasons.length > MAX_REASONS ? [` There are ${reasons.length - MAX_REASONS} more reasons above.`] : []),
    ],
    steps: [{ to: 'results', words: 'Their results', search: { model: [...models] } }],
  };
}
