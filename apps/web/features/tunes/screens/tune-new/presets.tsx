import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamPreset } from '#lib/param-tune/contract';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { createPreset, deletePreset, presetsQuery } from '../../api';
import { queryClient } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { DeleteDialog } from '../../../../ui/dialog';
import { ErrorNotice } from '../../../../ui/error-notice';
import { useField } from '../../../../ui/form/json-form';
import { UserText, visible } from '../../../../ui/user-text';
import { faultOfRows, toRows, toSpace } from './space-value';

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.presets });

/** The team's saved search spaces: one can be used or deleted, and the current one saved. */
export function Presets() {
  const presets = useQuery(presetsQuery);
  const space = useField(['search_space']);
  const refusal = useRefusal('editor');
  const [chosenId, setChosen] = useState('');
  const [isDeleting, setDeleting] = useState(false);
  const [isNaming, setNaming] = useState(false);
  const items = presets.data?.items ?? [];
  const chosen = items.find(({ id }) => id === chosenId);
  const isLocked = refusal !== undefined;
  return (
    <>
      <div className="actions">
        {items.length > 0 && (
          <>
            <label>
              Preset{' '}
              <select className="bounded" value={chosen?.id ?? ''} onChange={({ target }) => setChosen(target.value)}>
                <option value="">choose</option>
                {items.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {visible(name)}
                  </option>
                ))}
              </select>
            </label>
            <button
              type="button"
              disabled={isLocked || !chosen}
              title={refusal}
              onClick={() => space.set(toRows(chosen!.search_space as JsonObject))}
            >
              Use preset
            </button>
            <button
              type="button"
              disabled={isLocked || !chosen}
              title={refusal}
              onClick={() => setDeleting(true)}
              aria-label="Delete the preset"
            >
              Delete
            </button>
          </>
        )}
        {!isNaming && (
          <button type="button" disabled={isLocked} title={refusal} onClick={() => setNaming(true)}>
            Save as preset
          </button>
        )}
      </div>
      {presets.isError && <ErrorNotice error={presets.error} retry={() => presets.refetch()} />}
      {isNaming && <NewPreset onMade={({ id }) => setChosen(id)} close={() => setNaming(false)} />}
      {isDeleting && chosen && <DeletePresetDialog preset={chosen} close={() => setDeleting(false)} />}
    </>
  );
}

function NewPreset({ onMade, close }: { onMade: (preset: ParamPreset) => void; close: () => void }) {
  const id = useId();
  const { value, unread } = useField(['search_space']);
  const [name, setName] = useState('');
  const create = useAction(createPreset, async (preset) => {
    await refresh();
    onMade(preset);
    close();
  });
  const fault = unread === undefined ? faultOfRows(value) : 'The search space is not valid yet.';
  const save = (): void => create.mutate({ name: name.trim(), search_space: toSpace(value) });
  return (
    <div className="field">
      <label htmlFor={id}>Preset name</label>
      <div className="actions">
        <input
          id={id}
          autoFocus
          dir="auto"
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && event.preventDefault()}
        />
        <button
          type="button"
          disabled={name.trim() === '' || fault !== undefined || create.isPending}
          title={fault}
          onClick={save}
        >
          Save
        </button>
        <button type="button" className="plain" onClick={close}>
          Cancel
        </button>
      </div>
      {create.isError && <ErrorNotice error={create.error} />}
    </div>
  );
}

function DeletePresetDialog({ preset, close }: { preset: ParamPreset; close: () => void }) {
  const remove = useAction(deletePreset, async () => {
    close();
    await refresh();
  });
  return (
    <DeleteDialog
      title="Delete this preset?"
      action="Delete the preset"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(preset.id)}
      close={close}
    >
      <p>
        <UserText text={preset.name} max={200} />
      </p>
      <p>Tunes created with it keep its values. This cannot be undone.</p>
    </DeleteDialog>
  );
}
