import { DRAFT_PROMPT } from '#lib/contracts/values/suites';
import type { Hint, HintInput } from './hint';

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
