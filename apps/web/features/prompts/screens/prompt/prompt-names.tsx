import { useMemo } from 'react';
import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { namePromptVersion, promptVersionQuery } from '../../api';
import { queryClient } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { useDraft } from '../../../../ui/draft';
import { DraftForm } from '../../../../ui/form/draft-form';
import type { Edited } from '../../../../ui/form/edited';
import { LinesField, TextField } from '../../../../ui/form/fields';

/** The names of a version: its label and tags. */
export function PromptNames({ version: { id, label, tags } }: { version: PromptVersion }) {
  const refusal = useRefusal('editor');
  const stored = useMemo<Edited>(() => ({ value: { label, tags }, unread: {} }), [label, tags]);
  const draft = useDraft(`prompt.${id}.names`, stored);
  const saving = useAction(namePromptVersion, async (saved) => {
    queryClient.setQueryData(promptVersionQuery(id).queryKey, saved);
    draft.clear();
    await queryClient.invalidateQueries({ queryKey: keys.promptLists });
  });
  const send = (): void => saving.mutate({ id, ...namesOf(draft.value.value) });
  return (
    <section aria-labelledby="names" className="section">
      <h2 id="names">Names</h2>
      <DraftForm {...{ draft, saving, refusal, send }} save="Save names" saved={saving.data && 'Saved.'}>
        <TextField path={['label']} label="Label" help="Display name. Optional." maxLength={200} />
        <LinesField
          path={['tags']}
          label="Tags"
          help="One per line. Each tag marks one version of a suite: adding it here moves it."
        />
      </DraftForm>
    </section>
  );
}

function namesOf(typed: Json): { label: string; tags: string[] } {
  const { label, tags } = isObject(typed) ? typed : {};
  return { label: toText(label ?? ''), tags: Array.isArray(tags) ? tags.map((tag) => toText(tag)) : [] };
}
