import { useQueryClient } from '@tanstack/react-query';
import { useMemo, type FormEvent } from 'react';
import type { Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useAction } from '../../api/action';
import { keys } from '../../api/keys';
import { useRefusal } from '../../api/session';
import { changeSuite } from '../../api/suites';
import { useDraft } from '../../parts/draft';
import type { Edited } from '../../parts/form/edited';
import { JsonForm } from '../../parts/form/form';
import { SaveBar } from '../../parts/form/save-bar';
import { submitOnCtrlEnter } from '../../parts/submit-keys';
import { SuiteFields } from './suite-fields';

export function SuiteSettings({ suite }: { suite: Suite }) {
  const queries = useQueryClient();
  const refusal = useRefusal('editor');
  const { id, name, description, system_prompt, pass_threshold } = suite;
  const stored = useMemo<Edited>(
    () => ({ value: { name, description, system_prompt, pass_threshold }, unread: {} }),
    [name, description, system_prompt, pass_threshold],
  );
  const draft = useDraft(`suite.${id}.settings`, stored);
  const save = useAction(
    (patch: Json, options) => changeSuite(id, patch, options),
    async () => {
      await queries.invalidateQueries({ queryKey: keys.suites });
      draft.clear();
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.keys(draft.value.unread).length === 0 && !save.isPending) save.mutate(draft.value.value);
  };
  return (
    <section aria-labelledby="settings">
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
