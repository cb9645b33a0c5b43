import { Link, useNavigate } from '@tanstack/react-router';
import type { JsonObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { SuiteInput } from '#lib/contracts/suite';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Head } from '../../../ui/head';
import { createSuite, refreshSuites } from '../api';

const TRAIL = [{ to: '/suites', label: 'Suites' }] as const;

/** The settings and tools of a suite that has no cases yet. */
export function NewSuiteScreen() {
  const navigate = useNavigate();
  return (
    <>
      <Head
        title="New suite"
        trail={TRAIL}
        actions={
          <Link to="/import" className="button">
            Import instead
          </Link>
        }
      />
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
    name: '',
    description: '',
    parameters: { type: 'object', properties: {}, required: [] },
  },
};

const EMPTY: JsonObject = {
  name: '',
  description: '',
  system_prompt: null,
  pass_threshold: 1,
  tools: [],
};

const FIELDS: FormSchema<SuiteInput> = [
  ...settingFields({ isNew: true }),
  {
    json: 'tools',
    label: 'Tools',
    help: 'At least one, in the format of OpenAI, Anthropic, Gemini or MCP.',
    rows: 14,
  },
];
