import { syntaxName } from '#lib/contracts/values/verdicts';
import { inPercent, modelsWith, named, number, type Hint, type HintInput } from './hint';

/** Calls in another model family's syntax: the host does not know how this model writes its calls. */
export function callsInText(known: HintInput): Hint | undefined {
  const found = modelsWith(known, ({ syntaxes }) => syntaxes.reduce((sum, [, n]) => sum + n, 0));
  if (!found) return undefined;
  const { words, models, figures } = found;
  const syntaxes = [...new Set(figures.flatMap((one) => one.syntaxes.map(([syntax]) => syntax)))];
  return {
    key: 'calls in the text',
    words: [
      ...words,
      ` have calls that were left in the text in the syntax of ${syntaxes.map(syntaxName).join(' and ')}: `,
      `${models.length === 1 ? 'its host is' : 'their hosts are'} set up for another model. Set its tool-call `,
      'parser and chat template there. The calls were still read and scored.',
    ],
    steps: [{ to: 'results', words: 'Calls in the text', search: { model: models, syntax: syntaxes } }],
  };
}

/** A call that is only in the model's thoughts does not count. */
export function callsInThoughts(known: HintInput): Hint | undefined {
  const found = modelsWith(known, ({ onlyThought }) => onlyThought);
  return (
    found && {
      key: 'calls in thoughts',
      words: [
        ...found.words,
        ' make their call only in the thoughts, which does not count. Check the reasoning parser of the host: it may ',
        'treat the answer as part of the thoughts.',
      ],
      steps: [{ to: 'results', words: 'Calls in thoughts', search: { model: found.models, syntax: ['thoughts'] } }],
    }
  );
}

/** Minimum share of answers without a call. */
const MOSTLY = 0.5;

/** Under `auto`, a model may answer with text instead of a call. */
export function tryRequired({ run }: HintInput): Hint | undefined {
  if (run.config.tool_choice !== 'auto') return undefined;
  const models = run.summaries
    .filter(({ scored, error_counts: counts }) => scored > 0 && (counts.no_call ?? 0) / scored >= MOSTLY)
    .map(({ target }) => target);
  if (models.length === 0) return undefined;
  return {
    key: 'try required',
    words: [
      ...named(models),
      ` ${models.length === 1 ? 'answers' : 'answer'} mostly with text instead of a call. The run leaves the choice `,
      'to the model (auto). Try required, under which a model must call a tool.',
    ],
    steps: [
      { to: 'run again', words: 'Run again with required', toolChoice: 'required' },
      { to: 'results', words: 'Answers without a call', search: { model: models, type: ['no_call'] } },
    ],
  };
}

const MAX_REASONS = 2;

/** The tool choice sent differs from the requested one: how often, and why. */
export function otherToolChoice({ run }: HintInput): Hint | undefined {
  const { tool_choice: asked } = run.config;
  // Conversations are always asked with auto: with required, none would ever end.
  if (typeof asked !== 'string' || run.suite.has_conversations) return undefined;
  const used = run.summaries.flatMap(({ target, tool_choice_used: choices }) =>
    Object.entries(choices).map(([choice, n]) => ({ target, choice, n })),
  );
  const others = used.filter(({ choice, n }) => choice !== asked && n > 0);
  if (others.length === 0) return undefined;
  const total = (of: { n: number }[]): string => number(of.reduce((sum, { n }) => sum + n, 0));
  const sent = new Set(others.map(({ choice }) => choice));
  const models = [...new Set(others.map(({ target }) => target))];
  const reasons = run.warnings.flatMap(({ code, message }) =>
    message !== null && code.startsWith('tool_choice:') ? [message] : [],
  );
  return {
    key: 'other tool choice',
    words: [
      `${total(others)} of ${total(used)} results that expect a call were asked with ${[...sent].join(' or ')} `,
      `instead of ${asked}: those of `,
      ...named(models),
      '. Compare them with care: under auto a model may answer with text.',
      ...reasons.slice(0, MAX_REASONS).flatMap((given) => [' ', { given }]),
      ...(reasons.length > MAX_REASONS ? [` There are ${reasons.length - MAX_REASONS} more reasons above.`] : []),
    ],
    steps: [{ to: 'results', words: 'Their results', search: { model: models } }],
  };
}

/** Minimum share of repaired calls. */
const MANY = 0.2;

/** Calls in the text or in the function name were parsed anyway; another program may not parse them. */
export function repairedCalls({ run }: HintInput): Hint | undefined {
  const shares = run.summaries
    .map(({ target, scored, format_counts: counts }) => ({
      target,
      share: scored > 0 ? (counts.repaired ?? 0) / scored : 0,
    }))
    .filter(({ share }) => share >= MANY)
    .sort((one, other) => other.share - one.share);
  if (shares.length === 0) return undefined;
  const models = shares.map(({ target }) => target);
  const isOne = models.length === 1;
  return {
    key: 'repaired calls',
    words: [
      ...named(models),
      ` ${isOne ? 'answers' : 'answer'} outside the native format, in ${isOne ? '' : 'up to '}`,
      `${inPercent(shares[0]!.share)} of the results: with the whole call in the name of the function, as JSON in the `,
      'text, or encoded twice, as local models do when a server misreads their template. These calls were read and ',
      'still scored. Your own program would have to parse them, too.',
    ],
    steps: [{ to: 'results', words: 'Repaired calls', search: { model: models, format: ['repaired'] } }],
  };
}
