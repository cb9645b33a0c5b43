import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { createPromptVersion } from '../../api';
import { queryClient } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { useDraft } from '../../../../ui/draft';
import { DraftForm } from '../../../../ui/form/draft-form';
import type { Edited } from '../../../../ui/form/edited';
import { LinesField, LongTextField, TextField } from '../../../../ui/form/fields';
import { visible } from '../../../../ui/user-text';
import { count } from '../../../../ui/score';
import { TextFilter } from '../../../../ui/text-filter';
import { newPrompt, promptOf } from './prompt-value';

interface Props {
  suiteId: string;
  /** The texts of the suite by component. */
  inSuite: Readonly<Record<string, string>>;
  parent: PromptVersion | undefined;
}

export function PromptForm({ suiteId, inSuite, parent }: Props) {
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const first = useMemo<Edited>(
    () => ({ value: newPrompt(suiteId, inSuite, parent), unread: {} }),
    [suiteId, inSuite, parent],
  );
  const draft = useDraft(`new prompt ${suiteId} ${parent?.id ?? ''}`, first);
  const create = useAction(createPromptVersion, async ({ id }) => {
    draft.clear();
    await queryClient.invalidateQueries({ queryKey: keys.promptLists });
    await navigate({ to: '/prompts/$promptId', params: { promptId: id } });
  });
  const send = (): void => create.mutate(promptOf(draft.value.value, inSuite));
  return (
    <DraftForm {...{ draft, refusal, send }} saving={create} save="Save version">
      <TextField path={['label']} label="Label" help="Display name. Optional." maxLength={200} />
      <LinesField
        path={['tags']}
        label="Tags"
        help="One per line. Each tag marks one version of a suite: adding it here moves it."
      />
      <Texts components={Object.keys(inSuite)} />
    </DraftForm>
  );
}

/** How many texts are shown at once; the filter finds the others. */
const SHOWN = 20;

function Texts({ components }: { components: string[] }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const found = components.filter((component) => component.toLowerCase().includes(wanted));
  return (
    <fieldset>
      <legend>Texts</legend>
      <p className="muted small">The version stores only texts that differ from the suite. An empty text means none.</p>
      {components.length > SHOWN && <TextFilter label="Filter texts" text={filter} change={setFilter} />}
      {found.slice(0, SHOWN).map((component) => (
        <LongTextField
          key={component}
          path={['components', component]}
          label={visible(component)}
          maxLength={MAX_PROMPT_CHARS}
          rows={component === 'system_prompt' ? 6 : 2}
          whenEmpty=""
        />
      ))}
      {found.length > SHOWN && (
        <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
      )}
    </fieldset>
  );
}
