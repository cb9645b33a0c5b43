import type { FailureGroup } from '#lib/contracts/run-facets';
import { inPercent, named, type Hint, type HintInput, type Step, type HintWords } from './hint';

/** The tool is nearly always right. */
const HIGH = 0.9;
/** At most half of the arguments are right. */
const LOW = 0.5;

/** The right tool with unexpected arguments: values or rules may be too strict. */
export function strictExpectations({ run, groups }: HintInput): Hint | undefined {
  const models = run.summaries
    .filter(({ tool_accuracy: tool, param_accuracy: params }) => (tool ?? 0) >= HIGH && (params ?? 1) <= LOW)
    .map(({ target }) => target);
  if (models.length === 0) return undefined;
  const ordinals = models.map((model) => groups?.targets.indexOf(model) ?? -1);
  const mismatches = (groups?.items ?? [])
    .filter(({ error_type: type }) => type === 'wrong_argument' || type === 'missing_argument')
    .map((group) => ({ group, count: ordinals.reduce((sum, at) => sum + (group.by_target[at] ?? 0), 0) }))
    .sort((one, other) => other.count - one.count);
  const most = mismatches[0]?.count ? mismatches[0] : undefined;
  return {
    key: 'strict expectations',
    words: [
      ...named(models),
      ` nearly always choose${models.length === 1 ? 's' : ''} the right tool (${inPercent(HIGH)} or more), but at `,
      `most ${inPercent(LOW)} of the arguments are as expected. Expected values or rules may be too strict for what `,
      'models really write. ',
      ...(most ? mismatchWords(most.group, most.count) : []),
    ],
    steps: most
      ? stepsOf(most.group)
      : [{ to: 'results', words: 'Failures', search: { model: models, passed: false } }],
  };
}

const mismatchWords = (group: FailureGroup, count: number): HintWords => [
  'The most frequent mismatch is ',
  ...(group.argument === null ? [] : [{ given: group.argument }, ' of ']),
  { given: group.expected_tool },
  `, ${count.toLocaleString('en')} ${count === 1 ? 'time' : 'times'}. Rescore shows what another rule would change, `,
  'without asking a model.',
];

const stepsOf = ({ id, example }: FailureGroup): Step[] => [
  { to: 'result', words: 'See an example', resultId: example },
  { to: 'failures', words: 'See all', group: id },
];
