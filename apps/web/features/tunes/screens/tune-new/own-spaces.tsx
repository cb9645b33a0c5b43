import { useState } from 'react';
import { isObject } from '#lib/contracts/json/json';
import { textsOf } from '../../../../ui/form/form-request';
import { useField } from '../../../../ui/form/json-form';
import { UserText, visible } from '../../../../ui/user-text';
import { SpaceEditor } from './space-editor';

const PATH = ['per_model_search_spaces'];

/** Search spaces of single models, where they differ from the common one. */
export function OwnSpaces() {
  const { value, errors, refusal, set } = useField(PATH);
  const shared = useField('search_space').value;
  const models = textsOf(useField('models').value);
  const [chosen, choose] = useState('');
  const spaces = isObject(value) ? value : {};
  const without = models.filter((model) => !Object.hasOwn(spaces, model));
  const next = without.includes(chosen) ? chosen : (without[0] ?? '');
  const isLocked = refusal !== undefined;
  return (
    <details open={Object.keys(spaces).length > 0 || errors.length > 0}>
      <summary>Per-model search spaces</summary>
      <div className="fields">
        <p className="muted small">A model with its own space is searched in that one instead.</p>
        {Object.keys(spaces).map((model) => (
          <OwnSpace key={model} model={model} />
        ))}
        {without.length > 0 && (
          <div className="actions">
            <label>
              Model{' '}
              <select
                className="bounded"
                disabled={isLocked}
                value={next}
                onChange={({ target }) => choose(target.value)}
              >
                {without.map((model) => (
                  <option key={model} value={model}>
                    {visible(model)}
                  </option>
                ))}
              </select>
            </label>
            <button
              type="button"
              disabled={isLocked}
              title={refusal}
              onClick={() => set({ ...spaces, [next]: shared ?? {} })}
            >
              Add own space
            </button>
          </div>
        )}
        {models.length === 0 && <p className="muted">Choose the models first.</p>}
      </div>
    </details>
  );
}

function OwnSpace({ model }: { model: string }) {
  const path = [...PATH, model];
  const { refusal, set } = useField(path);
  return (
    <fieldset>
      <legend>
        <UserText text={model} max={200} />
      </legend>
      <SpaceEditor path={path} label={`the space of ${visible(model.slice(0, 100))}`} />
      <div className="actions">
        <button type="button" disabled={refusal !== undefined} title={refusal} onClick={() => set(undefined)}>
          Use the shared space
        </button>
      </div>
    </fieldset>
  );
}
