import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Suite, SuiteInput } from '#lib/contracts/suite';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { changeSuite, showSaved } from '../api';
import { settingFields } from './new-suite-screen';
import { SuiteFrame } from './suite-frame';

/** The name of a suite, and what all of its cases share. */
export function SuiteSettingsScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/settings' });
  return <SuiteFrame suiteId={suiteId}>{(suite) => <SuiteSettings key={suiteId} suite={suite} />}</SuiteFrame>;
}

function SuiteSettings({ suite }: { suite: Suite }) {
  const { id, name, description, system_prompt, pass_threshold, conversation } = suite;
  const stored = useMemo(
    (): JsonObject => ({
      ...{ name, description, system_prompt, pass_threshold },
      ...(conversation !== null && { conversation: conversation as unknown as Json }),
    }),
    [name, description, system_prompt, pass_threshold, conversation],
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
  const isRemoved = stored.conversation !== undefined && typed.conversation === undefined;
  return { ...Object.fromEntries(changed), ...(isRemoved && { conversation: null }) };
}

const FIELDS: FormSchema<SuiteInput> = [
  ...settingFields({ isNew: false }),
  {
    json: 'conversation',
    label: 'Conversations',
    help: 'What all conversations begin with: state, tools (rules by name), max_rounds, validate. Empty: nothing.',
    isOptional: true,
    rows: 8,
  },
];
