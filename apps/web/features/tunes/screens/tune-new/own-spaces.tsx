import { useState } from 'react';
import { isObject } from '#lib/contracts/json/json';
import { useField, useForm } from '../../../../ui/form/json-form';
import { UserText, visible } from '../../../../ui/user-text';
import { textsOf } from '../../../../ui/form/form-request';
import { SpaceEditor } from './space-editor';

const PATH = ['per_model_search_spaces'];

/** Search spaces of single models, where they differ from the common one. */
export function OwnSpaces() {
  const own = useField(PATH);
  const shared = useField(['search_space']);
  const models = textsOf(useField(['models']).value);
  const [chosen, setChosen] = useState('');
  const spaces = isObject(own.value) ? own.value : {};
  const without = models.filter((model) => !Object.hasOwn(spaces, model));
  const next = without.includes(chosen) ? chosen : (without[0] ?? '');
  const isOpen = Object.keys(spaces).length > 0 || own.errors.length > 0;
  const locked = own.refusal !== undefined;
  return (
    <details open={isOpen}>
      <summary>Per-model search spaces</summary>
      <div className="fields">
        <p className="muted small">A model with its own space is searched in that one instead.</p>
        {Object.keys(spaces).map((model) => (
          <OwnSpace key={model} model={model} remove={() => own.set(withoutKey(spaces, model))} />
        ))}
        {without.length > 0 && (
          <div className="actions">
            <label>
              Model{' '}
              <select
                className="bounded"
                disabled={locked}
                value={next}
                onChange={({ target }) => setChosen(target.value)}
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
              disabled={locked}
              title={own.refusal}
              onClick={() => own.set({ ...spaces, [next]: shared.value ?? {} })}
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

const withoutKey = <Value,>(object: Record<string, Value>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));

function OwnSpace({ model, remove }: { model: string; remove: () => void }) {
  const { refusal } = useForm();
  return (
    <fieldset>
      <legend>
        <UserText text={model} max={200} />
      </legend>
      <SpaceEditor path={[...PATH, model]} label={`the space of ${visible(model.slice(0, 100))}`} />
      <div className="actions">
        <button type="button" disabled={refusal !== undefined} title={refusal} onClick={remove}>
          Use the shared space
        </button>
      </div>
    </fieldset>
  );
}
