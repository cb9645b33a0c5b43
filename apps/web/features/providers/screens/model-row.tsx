import { Fragment, useId } from 'react';
import { PRICE_FIELDS } from '#lib/contracts/find-prices';
import { isNumber, isObject, toNumber, toText, type JsonObject } from '#lib/contracts/json/json';
import { edit, withValueAt } from '../../../ui/form/edited';
import { CheckField, NumberField, TextField } from '../../../ui/form/fields';
import { useForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Icon, X } from '../../../ui/icons';
import { visible } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { PriceSource, useKnownPrices } from './known-prices';
import { LIMITS } from './limits';
import { renamed, withPrices } from './provider-value';

interface Props {
  index: number;
  model: JsonObject;
  isOpen: boolean;
  toggle: () => void;
  remove: () => void;
}

const COLUMNS = 6;

/** A model as a row of fields; what is rarely changed opens in a row below. */
export function ModelRow({ index, model, isOpen, toggle, remove }: Props) {
  const { edited, change } = useForm();
  const id = useId();
  const name = toText(model.id ?? '');
  const label = name === '' ? 'the new model' : visible(name.slice(0, 100));
  const { find } = useKnownPrices(isObject(edited.value) ? edited.value : {});
  const at = ['models', index] as const;
  const rename = (text: string): void =>
    change({ ...edited, value: withValueAt(edited.value, at, renamed(model, text, find)) ?? null });
  return (
    <Fragment>
      <tr aria-label={`Model ${label}`}>
        <td className={css.modelId}>
          <TextField
            path={[...at, 'id']}
            label="Id at the provider"
            maxLength={200}
            isInCell
            isRequired
            onType={rename}
          />
        </td>
        <td className={css.modelName}>
          <TextField
            path={[...at, 'name']}
            label="Name of the model"
            isInCell
            maxLength={200}
            whenEmpty=""
            placeholder={name || undefined}
          />
        </td>
        {IN_ROW.map(([field, words]) => (
          <td key={field}>
            <NumberField path={[...at, field]} label={words} isInCell />
          </td>
        ))}
        <td>
          <RowActions {...{ model, label, isOpen, toggle, remove }} controls={id} />
        </td>
      </tr>
      <tr id={id} hidden={!isOpen}>
        {isOpen && (
          <td colSpan={COLUMNS} className={css.model}>
            <ModelDetail index={index} model={model} />
          </td>
        )}
      </tr>
    </Fragment>
  );
}

interface ActionsProps extends Omit<Props, 'index'> {
  label: string;
  /** The id of what opens. */
  controls: string;
}

function RowActions({ model, label, isOpen, toggle, remove, controls }: ActionsProps) {
  const { refusal } = useForm();
  return (
    <div className={css.rowActions}>
      <button
        type="button"
        className="dense"
        aria-expanded={isOpen}
        aria-controls={controls}
        aria-label={`${isOpen ? 'Less' : 'More'} of ${label}`}
        onClick={toggle}
      >
        {isOpen ? 'Less' : hasMore(model) ? 'More *' : 'More'}
      </button>
      <button
        type="button"
        className="dense plain icon-only"
        disabled={refusal !== undefined}
        title={refusal ?? 'Remove'}
        aria-label={`Remove ${label}`}
        onClick={remove}
      >
        <Icon of={X} />
      </button>
    </div>
  );
}

const IN_ROW = [
  ['input_cost_per_mtok', 'USD per million input tokens'],
  ['output_cost_per_mtok', 'USD per million output tokens'],
  ['cache_read_cost_per_mtok', 'Cache reads'],
] as const;

/** Whether a model has something that its row does not show. */
const hasMore = (model: JsonObject): boolean =>
  isObject(model.limits) ||
  (Array.isArray(model.unsupported_params) && model.unsupported_params.length > 0) ||
  (isObject(model.default_params) && Object.keys(model.default_params).length > 0) ||
  WRITES.some((field) => isNumber(model[field]) && toNumber(model[field]) > 0);
const WRITES = ['cache_write_5m_cost_per_mtok', 'cache_write_1h_cost_per_mtok'];

function ModelDetail({ index, model }: Pick<Props, 'index' | 'model'>) {
  const { edited, change, refusal } = useForm();
  const provider = isObject(edited.value) ? edited.value : {};
  const { find } = useKnownPrices(provider);
  const at = ['models', index] as const;
  const take = (): void => {
    const priced = withPrices(model, find(toText(model.id)));
    change(PRICE_FIELDS.reduce((all, field) => edit(all, [...at, field], priced[field]), edited));
  };
  return (
    <div className={css.modelDetail}>
      <PriceSource model={model} provider={provider} refusal={refusal} take={take} />
      <Fields of={REST} within={at.join('.')} />
      <CheckField
        path={[...at, 'limits']}
        label="Own limits and lane"
        checked={isObject(model.limits)}
        onChange={(isOwn) => change(edit(edited, [...at, 'limits'], isOwn ? { max_concurrency: 8 } : null))}
      />
      {isObject(model.limits) && <Fields of={LIMITS} within={[...at, 'limits'].join('.')} />}
    </div>
  );
}

const REST: FormSchema = [
  [
    { number: 'cache_write_5m_cost_per_mtok', label: 'Cache writes, 5 minutes' },
    { number: 'cache_write_1h_cost_per_mtok', label: 'Cache writes, 1 hour' },
  ],
  {
    lines: 'unsupported_params',
    label: 'Unsupported parameters',
    help: 'One per line, such as temperature. They are not sent.',
  },
  {
    json: 'default_params',
    label: 'Default parameters',
    help: 'A JSON object. Parameters of a run take precedence.',
    isOptional: true,
    rows: 2,
  },
];
