import type { Json } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { CaseInput } from '#lib/contracts/case';
import { CheckField } from '../../../ui/form/fields';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { CHAIN_KEYS, expectationOf, keysWithoutField, withChain, withConversation } from '../parts/case-value';
import { ExpectationFields, useCase } from '../parts/expectation-fields';
import { RuleFields } from './rule-fields';

/** The case of the surrounding form, field by field. */
export function CaseFields({ suiteTools }: { suiteTools: Json }) {
  const { input } = useCase();
  const beyond = keysWithoutField(input);
  return (
    <>
      <PromptFields />
      <ExpectationFields suiteTools={suiteTools} />
      <RuleFields />
      {expectationOf(input) !== 'goal' && <ChainFields />}
      <fieldset>
        <legend>About the case</legend>
        <Fields of={ABOUT} />
      </fieldset>
      {beyond.length > 0 && <p className="muted small">Only in its JSON: {beyond.slice(0, 20).join(', ')}.</p>}
    </>
  );
}

const PROMPT_KEYS = new Set(['prompt', 'messages']);

function PromptFields() {
  const { input, replace } = useCase();
  const isConversation = input.messages !== undefined;
  return (
    <fieldset>
      <legend>Input</legend>
      <CheckField
        path="messages"
        label="Several messages"
        checked={isConversation}
        onChange={(on) => replace(withConversation(input, on), PROMPT_KEYS)}
      />
      <Fields of={isConversation ? CONVERSATION : PROMPT} />
    </fieldset>
  );
}

function ChainFields() {
  const { input, replace } = useCase();
  const isChain = input.multi_turn === true;
  return (
    <fieldset>
      <legend>Chain of calls</legend>
      <CheckField
        path="multi_turn"
        label="The model may call other tools first"
        checked={isChain}
        onChange={(on) => replace(withChain(input, on), CHAIN_KEYS)}
      />
      {isChain && <Fields of={CHAIN} />}
    </fieldset>
  );
}

const PROMPT: FormSchema<CaseInput> = [
  { longText: 'prompt', label: 'Prompt', rows: 3, maxLength: MAX_PROMPT_CHARS, whenEmpty: '' },
];

const CONVERSATION: FormSchema<CaseInput> = [
  {
    json: 'messages',
    label: 'Messages',
    help: 'As in chat completions of OpenAI.',
    rows: 8,
  },
];

const CHAIN: FormSchema<CaseInput> = [
  [
    { number: 'max_rounds', label: 'Maximum requests', help: 'Empty: 5.' },
    { number: 'optimal_hops', label: 'Optimal calls', help: 'Extra calls lower the score.' },
  ],
  {
    lines: 'valid_prerequisites',
    label: 'Allowed prerequisite tools',
    help: 'One per line. Empty: all. Another tool costs 0.1.',
  },
  {
    json: 'mock_responses',
    label: 'Mock responses',
    help: 'By tool name: a response, or a list of them. Default: status ok.',
    isOptional: true,
    rows: 6,
  },
];

const ABOUT: FormSchema<CaseInput> = [
  [
    { text: 'name', label: 'Name', maxLength: 200 },
    { text: 'category', label: 'Category', maxLength: 200 },
  ],
  { lines: 'tags', label: 'Tags, one per line' },
  { flag: 'draft', label: 'Draft', help: 'Runs skip it.', isOmitted: true },
];
