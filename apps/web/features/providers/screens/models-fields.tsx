import { useId, useState } from 'react';
import { PRICE_FIELDS } from '#lib/contracts/find-prices';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ModelInput } from '#lib/contracts/provider';
import { edit, withValueAt } from '../../../ui/form/edited';
import { CheckField, TextField } from '../../../ui/form/fields';
import { Faults, useForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { count } from '../../../ui/amounts';
import { UserLine, visible } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { PriceSource, useKnownPrices } from './known-prices';
import { newModel, priceInWords, renamed, withPrices } from './provider-value';

/** How many models are listed at once; the filter finds the others. */
const SHOWN = 50;
const MAX_MODELS = 1000;

/** The models of a provider: prices, refused settings and limits of each. One is open at a time. */
export function ModelsFields() {
  const { edited, change, errors, refusal } = useForm();
  const [open, setOpen] = useState<number>();
  const [filter, setFilter] = useState('');
  const models = modelsIn(edited.value);
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
    setOpen(models.length);
  };
  return (
    <fieldset>
      <legend>Models{models.length > 0 && `, ${count(models.length)}`}</legend>
      <Faults faults={errors.filter(({ path }) => path === '/models')} />
      {models.length > SHOWN && <ModelFilter label="Filter models" text={filter} change={setFilter} />}
      {models.length === 0 && (
        <p className="muted">No models yet. Add one, or save the provider and discover its models.</p>
      )}
      {shown.map(({ model, index }) => (
        <ModelFields
          key={index}
          index={index}
          model={model}
          isOpen={open === index || withFault.includes(index)}
          toggle={() => setOpen(open === index ? undefined : index)}
          remove={() => {
            change(edit(edited, ['models', index], undefined));
            setOpen(undefined);
          }}
        />
      ))}
      {found.length > SHOWN && (
        <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
      )}
      <div>
        <button
          type="button"
          disabled={refusal !== undefined || models.length >= MAX_MODELS}
          title={refusal}
          onClick={add}
        >
          Add a model
        </button>
      </div>
    </fieldset>
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

interface ModelProps {
  index: number;
  model: JsonObject;
  isOpen: boolean;
  toggle: () => void;
  remove: () => void;
}

function ModelFields({ index, model, isOpen, toggle, remove }: ModelProps) {
  const { refusal } = useForm();
  const id = useId();
  const name = toText(model.id ?? '');
  const label = name === '' ? 'the new model' : visible(name.slice(0, 100));
  return (
    <div className={css.model} role="group" aria-label={`Model ${label}`}>
      <div className="actions">
        <button
          type="button"
          className="dense"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`${isOpen ? 'Close' : 'Edit'} ${label}`}
          onClick={toggle}
        >
          {isOpen ? 'Close' : 'Edit'}
        </button>
        <button
          type="button"
          className="dense"
          disabled={refusal !== undefined}
          title={refusal}
          aria-label={`Remove ${label}`}
          onClick={remove}
        >
          Remove
        </button>
        <span className={css.modelName}>
          <UserLine text={name || 'new model'} />
        </span>
        <span className="small muted">{inWords(model)}</span>
      </div>
      <div id={id} className={css.model} hidden={!isOpen}>
        {isOpen && <ModelDetail index={index} model={model} />}
      </div>
    </div>
  );
}

function ModelDetail({ index, model }: Pick<ModelProps, 'index' | 'model'>) {
  const { edited, change, refusal } = useForm();
  const provider = isObject(edited.value) ? edited.value : {};
  const { find } = useKnownPrices(provider);
  const at = ['models', index] as const;
  const rename = (id: string): void =>
    change({ ...edited, value: withValueAt(edited.value, at, renamed(model, id, find)) ?? null });
  const take = (): void => {
    const priced = withPrices(model, find(toText(model.id)));
    change(PRICE_FIELDS.reduce((all, field) => edit(all, [...at, field], priced[field]), edited));
  };
  return (
    <>
      <TextField path={[...at, 'id']} label="Id at the provider" maxLength={200} isRequired onType={rename} />
      <Fields of={NAME_AND_PRICES} within={at.join('.')} />
      <PriceSource model={model} provider={provider} refusal={refusal} take={take} />
      <Fields of={PARAMETERS} within={at.join('.')} />
      <CheckField
        path={[...at, 'limits']}
        label="Own limits and lane"
        checked={isObject(model.limits)}
        onChange={(isOwn) => change(edit(edited, [...at, 'limits'], isOwn ? { max_concurrency: 8 } : null))}
      />
      {isObject(model.limits) && <Fields of={LIMITS} within={[...at, 'limits'].join('.')} />}
    </>
  );
}

function inWords(model: JsonObject): string {
  const { unsupported_params: refused } = model;
  const parts = [
    priceInWords(model),
    ...(Array.isArray(refused) && refused.length > 0 ? [`${refused.length} unsupported`] : []),
    ...(isObject(model.limits) ? ['own lane'] : []),
  ];
  return parts.join(', ');
}

const NAME_AND_PRICES: FormSchema<ModelInput> = [
  { text: 'name', label: 'Name of the model', maxLength: 200, whenEmpty: '' },
  [
    {
      number: 'input_cost_per_mtok',
      label: 'USD per million input tokens',
      help: 'Empty: unknown, not counted.',
    },
    { number: 'output_cost_per_mtok', label: 'USD per million output tokens' },
    {
      number: 'cache_read_cost_per_mtok',
      label: 'Cache reads',
      help: 'Empty cache prices default to the input price.',
    },
    { number: 'cache_write_5m_cost_per_mtok', label: 'Cache writes, 5 minutes' },
    { number: 'cache_write_1h_cost_per_mtok', label: 'Cache writes, 1 hour' },
  ],
];
const PARAMETERS: FormSchema = [
  {
    lines: 'unsupported_params',
    label: 'Unsupported parameters',
    help: 'One per line, such as temperature. They are not sent.',
  },
  {
    json: 'default_params',
    label: 'Default parameters',
    help: 'A JSON object, for example of reasoning_effort. Parameters of a run take precedence.',
    isOptional: true,
    rows: 2,
  },
];
/** The limits of a provider, or of a model. */
export const LIMITS: FormSchema<NonNullable<ModelInput['limits']>> = [
  [
    { number: 'max_concurrency', label: 'Concurrent requests' },
    { number: 'requests_per_minute', label: 'Requests per minute', help: 'Empty: no limit.' },
    { number: 'tokens_per_minute', label: 'Tokens per minute', help: 'Empty: no limit.' },
  ],
];
