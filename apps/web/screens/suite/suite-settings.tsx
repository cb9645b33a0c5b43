import { useMemo } from 'react';
import { isObject, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../api/session';
import { useDraft } from '../../parts/draft';
import type { Edited } from '../../parts/form/edited';
import { JsonForm } from '../../parts/form/form';
import { SaveBar } from '../../parts/form/save-bar';
import { submitOnCtrlEnter } from '../../parts/submit-keys';
import { SuiteFields } from './suite-fields';
import { useSaveSuite } from './use-save-suite';

export function SuiteSettings({ suite }: { suite: Suite }) {
  const refusal = useRefusal('editor');
  const { id, name, description, system_prompt, pass_threshold } = suite;
  const stored = useMemo<Edited>(
    () => ({ value: { name, description, system_prompt, pass_threshold }, unread: {} }),
    [name, description, system_prompt, pass_threshold],
  );
  const draft = useDraft(`suite.${id}.settings`, stored);
  const { save, submit } = useSaveSuite(id, draft, (typed) => changesOf(typed, stored.value));
  return (
    <section aria-labelledby="settings" className="settings">
      <h2 id="settings">Settings</h2>
      <JsonForm edited={draft.value} change={draft.change} error={save.error} refusal={refusal}>
        <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
          <SuiteFields />
          <SaveBar
            draft={draft}
            save="Save settings"
            refusal={refusal}
            isPending={save.isPending}
            error={save.error}
            saved={save.data && `Saved: version ${save.data.version}.`}
          />
        </form>
      </JsonForm>
    </section>
  );
}

/** Only changes are sent: another author may be editing the other settings. */
function changesOf(typed: Json, stored: Json): Json {
  if (!isObject(typed) || !isObject(stored)) return typed;
  const changed = Object.entries(typed).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(stored[key]));
  return Object.fromEntries(changed);
}
