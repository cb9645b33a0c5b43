import { useEffect, useId, useRef, useState } from 'react';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { edit } from '../../../ui/form/edited';
import { Faults, useForm } from '../../../ui/form/json-form';
import { count } from '../../../ui/amounts';
import { Note } from '../../../ui/hint';
import { undo } from '../../../ui/undo';
import { visible } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { ModelRow } from './model-row';
import { withPastedPrices } from './pasted-prices';
import { newModel } from './provider-value';

/** How many models are listed at once; the filter finds the others. */
const SHOWN = 50;
const MAX_MODELS = 1000;

/** The models of a provider as one table: a row has a model's id, name and prices, and opens the rest of it below. */
export function ModelsFields() {
  const { edited, change, errors, refusal } = useForm();
  const [open, setOpen] = useState<number>();
  const [filter, setFilter] = useState('');
  const removeAt = useRemove();
  const models = modelsIn(edited.value);
  const isFull = models.length >= MAX_MODELS;
  const wanted = filter.trim().toLowerCase();
  const found = models.map((model, index) => ({ model, index })).filter(({ model }) => idOf(model).includes(wanted));
  const withFault = errors.flatMap(({ path }) => /^\/models\/(\d+)/.exec(path)?.[1] ?? []).map(Number);
  const shown = found.slice(0, SHOWN);
  // Models with a fault are shown regardless of filter and open state.
  for (const index of withFault.slice(0, SHOWN))
    if (models[index] && !shown.some((one) => one.index === index)) shown.push({ model: models[index], index });
  const add = (): void => {
    change(edit(edited, ['models', models.length], newModel('')));
    setFilter('');
  };
  return (
    <fieldset>
      <legend>{models.length > 0 ? `Models, ${count(models.length)}` : 'Models'}</legend>
      <Faults faults={errors.filter(({ path }) => path === '/models')} />
      {models.length > SHOWN && <ModelFilter label="Filter models" text={filter} change={setFilter} />}
      {models.length === 0 && <p className="muted">No models yet.</p>}
      {shown.length > 0 && (
        <div className="wide" tabIndex={0} role="region" aria-label="Models of the provider">
          <table className={css.models}>
            <ModelsHead />
            <tbody>
              {shown.map(({ model, index }) => (
                <ModelRow
                  key={index}
                  index={index}
                  model={model}
                  isOpen={open === index || withFault.includes(index)}
                  toggle={() => setOpen(open === index ? undefined : index)}
                  remove={() => {
                    setOpen(undefined);
                    removeAt(index);
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > SHOWN && (
        <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
      )}
      <div>
        <button type="button" disabled={isFull || refusal !== undefined} title={refusal} onClick={add}>
          Add a model
        </button>
      </div>
      {refusal === undefined && <PastePrices />}
    </fieldset>
  );
}

const ModelsHead = () => (
  <thead>
    <tr>
      <th scope="col">Model</th>
      <th scope="col">Name</th>
      <th scope="col">
        <Note of="Input">US dollars per million input tokens. Empty: unknown, and not counted.</Note>
      </th>
      <th scope="col">
        <Note of="Output">US dollars per million output tokens. Empty: unknown, and not counted.</Note>
      </th>
      <th scope="col">
        <Note of="Cached">US dollars per million tokens read from the cache. Empty: the input price.</Note>
      </th>
      <th scope="col">
        <span className="unseen">Actions</span>
      </th>
    </tr>
  </thead>
);

/** Takes a model out of the form; it can be put back for a while, also after further edits. */
function useRemove(): (index: number) => void {
  const form = useForm();
  const latest = useRef(form);
  useEffect(() => void (latest.current = form));
  return (index) => {
    const { edited, change } = form;
    const model = modelsIn(edited.value)[index];
    if (!model) return;
    change(edit(edited, ['models', index], undefined));
    const putBack = (): void => {
      const { edited: now, change: changeNow } = latest.current;
      changeNow(edit(now, ['models'], modelsIn(now.value).toSpliced(index, 0, model)));
    };
    undo.offer({ text: `Removed ${visible(toText(model.id ?? '').slice(0, 80)) || 'a model'}.`, undo: putBack });
  };
}

/** Sets prices from lines of a spreadsheet or a price list. */
function PastePrices() {
  const { edited, change } = useForm();
  const id = useId();
  const [text, setText] = useState('');
  const [said, say] = useState('');
  const take = (): void => {
    const { models, changed, added, unread } = withPastedPrices(modelsIn(edited.value), text);
    if (changed + added > 0) change(edit(edited, ['models'], models));
    setText(unread.join('\n'));
    const left = unread.length > 0 ? ` Not understood: ${count(unread.length)}, left below.` : '';
    say(`${count(changed)} changed, ${count(added)} added.${left}`);
  };
  return (
    <details>
      <summary>Paste prices</summary>
      <div className="field">
        <label htmlFor={id}>A line for each model: id, input, output, cached</label>
        <textarea
          id={id}
          className="code"
          rows={4}
          spellCheck={false}
          placeholder={'gpt-5-mini\t0.25\t2\t0.025'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="actions">
          <button type="button" disabled={text.trim() === ''} onClick={take}>
            Set prices
          </button>
          <span role="status" className="small muted">
            {visible(said)}
          </span>
        </div>
      </div>
    </details>
  );
}

interface FilterProps {
  label: string;
  text: string;
  change: (text: string) => void;
}

/** Filters models in a form, which Enter does not send. */
export function ModelFilter({ label, text, change }: FilterProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        data-filter
        maxLength={200}
        value={text}
        onChange={({ target }) => change(target.value)}
        onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && event.preventDefault()}
      />
    </div>
  );
}

const modelsIn = (value: Json): JsonObject[] =>
  isObject(value) && Array.isArray(value.models) ? value.models.filter(isObject) : [];
const idOf = ({ id }: JsonObject): string => toText(id ?? '').toLowerCase();
