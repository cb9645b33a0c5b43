import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamPreset } from '#lib/param-tune/contract';
import { useAction } from '../../../../api/action';
import { ConfirmDialog } from '../../../../ui/dialog';
import { ErrorNotice } from '../../../../ui/notices';
import { LabelledField, useField } from '../../../../ui/form/json-form';
import { UserText, visible } from '../../../../ui/user-text';
import { createPreset, deletePreset, presetsQuery, refreshPresets } from '../../api';
import { faultOfRows, toRows, toSpace } from './space-value';

/** The team's saved search spaces: one can be used or deleted, and the current one saved. */
export function Presets() {
  const { data, error, refetch } = useQuery(presetsQuery);
  const { refusal, set } = useField('search_space');
  const [chosenId, choose] = useState('');
  const [isNaming, setNaming] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const presets = data?.items ?? [];
  const chosen = presets.find(({ id }) => id === chosenId);
  const button = { type: 'button', title: refusal } as const;
  const isLocked = refusal !== undefined;
  return (
    <>
      <div className="actions">
        {presets.length > 0 && (
          <>
            <label>
              Preset{' '}
              <select className="bounded" value={chosen?.id ?? ''} onChange={({ target }) => choose(target.value)}>
                <option value="">choose</option>
                {presets.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {visible(name)}
                  </option>
                ))}
              </select>
            </label>
            <button
              {...button}
              disabled={isLocked || !chosen}
              onClick={() => set(toRows(chosen!.search_space as JsonObject))}
            >
              Use preset
            </button>
            <button
              {...button}
              disabled={isLocked || !chosen}
              aria-label="Delete the preset"
              onClick={() => setDeleting(true)}
            >
              Delete
            </button>
          </>
        )}
        {!isNaming && (
          <button {...button} disabled={isLocked} onClick={() => setNaming(true)}>
            Save as preset
          </button>
        )}
      </div>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {isNaming && <NewPreset onMade={({ id }) => choose(id)} close={() => setNaming(false)} />}
      {isDeleting && chosen && <DeletePreset preset={chosen} close={() => setDeleting(false)} />}
    </>
  );
}

function NewPreset({ onMade, close }: { onMade: (preset: ParamPreset) => void; close: () => void }) {
  const { value, unread } = useField('search_space');
  const [name, setName] = useState('');
  const create = useAction(createPreset, async (preset) => {
    await refreshPresets();
    onMade(preset);
    close();
  });
  const fault = unread === undefined ? faultOfRows(value) : 'The search space is not valid yet.';
  return (
    <LabelledField label="Preset name" faults={[]}>
      {(attributes) => (
        <>
          <div className="actions">
            <input
              {...attributes}
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
              onClick={() => create.mutate({ name: name.trim(), search_space: toSpace(value) })}
            >
              Save
            </button>
            <button type="button" className="plain" onClick={close}>
              Cancel
            </button>
          </div>
          {create.error && <ErrorNotice error={create.error} />}
        </>
      )}
    </LabelledField>
  );
}

function DeletePreset({ preset: { id, name }, close }: { preset: ParamPreset; close: () => void }) {
  const { isPending, error, mutate } = useAction(deletePreset, async () => {
    close();
    await refreshPresets();
  });
  return (
    <ConfirmDialog
      title="Delete this preset?"
      action="Delete the preset"
      act={() => mutate(id)}
      {...{ isPending, error, close }}
    >
      <p>
        <UserText text={name} max={200} />
      </p>
      <p>Tunes created with it keep its values. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
