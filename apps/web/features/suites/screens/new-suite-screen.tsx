import { Link, useNavigate } from '@tanstack/react-router';
import type { JsonObject } from '#lib/contracts/json/json';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { createSuite, refreshSuites } from '../api';
import { settingFields } from './suite-settings';
import { NEW_TOOL } from './suite-tools';

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

const EMPTY: JsonObject = {
  name: '',
  description: '',
  system_prompt: null,
  pass_threshold: 1,
  tools: [NEW_TOOL],
};

const FIELDS: FormSchema = [
  ...settingFields({ isNew: true }),
  {
    json: 'tools',
    label: 'Tools',
    help: 'A list of tools. The formats of Anthropic, Gemini, MCP and OpenAI are accepted, too.',
    rows: 14,
  },
];
