import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isObject, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { Form } from '../../../ui/form/form';
import { Fields } from '../../../ui/form/schema';
import { changeSuite, showSaved } from '../api';
import { settingFields } from './new-suite-screen';
import { SuiteFrame } from './suite-frame';

/** The name of a suite, and what all of its cases share. */
export function SuiteSettingsScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/settings' });
  return <SuiteFrame suiteId={suiteId}>{(suite) => <SuiteSettings key={suiteId} suite={suite} />}</SuiteFrame>;
}

function SuiteSettings({ suite }: { suite: Suite }) {
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

const FIELDS = settingFields({ isNew: false });
