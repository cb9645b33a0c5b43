import type { FailureGroup } from '#lib/contracts/run-facets';
import { DRAFT_PROMPT } from '#lib/contracts/values/suites';
import { countIn, inPercent, named, number, type Hint, type HintInput, type HintWords, type Step } from './hint';

/** A prompt drafted from a tool's description may not say clearly what is wanted. */
export function draftedPrompts({ failedCases }: HintInput): Hint | undefined {
  const drafted = (failedCases?.items ?? []).filter(({ prompt }) => prompt.startsWith(DRAFT_PROMPT));
  const [first] = drafted;
  if (!first) return undefined;
  const [n, isOne] = [drafted.length, drafted.length === 1];
  return {
    key: 'drafted prompts',
    words: [
      `${n} ${isOne ? 'case that no model passed has' : 'cases that no model passed have'} a prompt `,
      `drafted from the description of ${isOne ? 'its tool' : 'their tools'}, such as `,
      { given: first.case_name ?? first.prompt },
      '. It is too vague to choose a tool by: write what a user would really say, and run with required.',
    ],
    steps: [
      { to: 'case', words: 'Write its prompt', caseId: first.case_id },
      { to: 'cases', words: 'Cases that no model passed' },
    ],
  };
}

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
  const [most] = (groups?.items ?? [])
    .filter(({ error_type: type }) => type === 'wrong_argument' || type === 'missing_argument')
    .map((group) => ({ group, count: countIn(group, groups!.targets, models) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
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
  `, ${number(count)} ${count === 1 ? 'time' : 'times'}. Rescore shows what another rule would change, `,
  'without asking a model.',
];

const stepsOf = ({ id, example }: FailureGroup): Step[] => [
  { to: 'result', words: 'See an example', resultId: example },
  { to: 'failures', words: 'See all', group: id },
];
