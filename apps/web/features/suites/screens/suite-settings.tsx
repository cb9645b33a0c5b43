import { useMemo } from 'react';
import { isObject, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { changeSuite, showSaved } from '../api';

export function SuiteSettings({ suite }: { suite: Suite }) {
  const { id, name, description, system_prompt, pass_threshold } = suite;
  const stored = useMemo(
    () => ({ name, description, system_prompt, pass_threshold }),
    [name, description, system_prompt, pass_threshold],
  );
  return (
    <section aria-labelledby="settings" className="section">
      <h2 id="settings">Settings</h2>
      <Form
        name={`suite.${id}.settings`}
        initial={stored}
        send={(typed, options) => changeSuite(id, changesOf(typed, stored), options)}
        onDone={showSaved}
        save="Save settings"
        saved={({ version }) => `Saved: version ${version}.`}
      >
        <Fields of={FIELDS} />
      </Form>
    </section>
  );
}

/** Only changes are sent: another author may be editing the other settings. */
function changesOf(typed: Json, stored: Record<string, Json>): Json {
  if (!isObject(typed)) return typed;
  const changed = Object.entries(typed).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(stored[key]));
  return Object.fromEntries(changed);
}

/** All settings of a suite except tools and cases. */
export const settingFields = ({ isNew }: { isNew: boolean }): FormSchema => [
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

const FIELDS = settingFields({ isNew: false });
