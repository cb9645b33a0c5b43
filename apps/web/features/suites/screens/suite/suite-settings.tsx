import { useMemo } from 'react';
import { isObject, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../../api/session';
import { useDraft } from '../../../../ui/draft';
import { DraftForm } from '../../../../ui/form/draft-form';
import type { Edited } from '../../../../ui/form/edited';
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
  const { saving, send, saved } = useSaveSuite(id, draft, (typed) => changesOf(typed, stored.value));
  return (
    <section aria-labelledby="settings" className="settings">
      <h2 id="settings">Settings</h2>
      <DraftForm {...{ draft, saving, refusal, send, saved }} save="Save settings">
        <SuiteFields />
      </DraftForm>
    </section>
  );
}

/** Only changes are sent: another author may be editing the other settings. */
function changesOf(typed: Json, stored: Json): Json {
  if (!isObject(typed) || !isObject(stored)) return typed;
  const changed = Object.entries(typed).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(stored[key]));
  return Object.fromEntries(changed);
}
