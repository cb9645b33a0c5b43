import { Link, useNavigate } from '@tanstack/react-router';
import type { JsonObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { SuiteInput } from '#lib/contracts/suite';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { createSuite, refreshSuites } from '../api';

/** The settings and tools of a suite that has no cases yet. */
export function NewSuiteScreen() {
  const navigate = useNavigate();
  return (
    <>
      <header>
        <h1>New suite</h1>
        <p>
          Cases come next. A suite with cases can also be <Link to="/import">imported</Link>.
        </p>
      </header>
      <Form
        name="suites.new"
        initial={EMPTY}
        send={createSuite}
        onDone={({ id }) => {
          void refreshSuites();
          return navigate({ to: '/suites/$suiteId', params: { suiteId: id } });
        }}
        save="Create suite"
      >
        <Fields of={FIELDS} />
      </Form>
    </>
  );
}

/** All settings of a suite except tools and cases. */
export const settingFields = ({ isNew }: { isNew: boolean }): FormSchema<SuiteInput> => [
  { text: 'name', label: 'Name', maxLength: 200, isRequired: true, autoFocus: isNew, whenEmpty: '' },
  { longText: 'description', label: 'Description', rows: 2, maxLength: 10_000, whenEmpty: '' },
  {
    longText: 'system_prompt',
    label: 'System prompt',
    help: 'Sent before the prompt of every case.',
    maxLength: MAX_PROMPT_CHARS,
    whenEmpty: null,
  },
  { number: 'pass_threshold', label: 'Pass threshold', help: 'Minimum overall score of a passed case, 0 to 1.' },
];

/** The initial value of a new tool. */
export const NEW_TOOL: JsonObject = {
  type: 'function',
  function: {
    name: 'new_tool',
    description: '',
    parameters: { type: 'object', properties: {}, required: [] },
  },
};

const EMPTY: JsonObject = {
  name: '',
  description: '',
  system_prompt: null,
  pass_threshold: 1,
  tools: [NEW_TOOL],
};

const FIELDS: FormSchema<SuiteInput> = [
  ...settingFields({ isNew: true }),
  {
    json: 'tools',
    label: 'Tools',
    help: 'A list of tools. The formats of Anthropic, Gemini, MCP and OpenAI are accepted, too.',
    rows: 14,
  },
];
