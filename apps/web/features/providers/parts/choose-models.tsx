import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState, type ReactNode } from 'react';
import { isObject, toText } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';
import type { Run } from '#lib/contracts/run';
import { count } from '../../../ui/amounts';
import { useKnown } from '../../../ui/combobox';
import { textsOf } from '../../../ui/form/form-request';
import { type At, Faults, useField } from '../../../ui/form/json-form';
import { PickField, type PickProps } from '../../../ui/form/pick-field';
import { Icon, X } from '../../../ui/icons';
import { ErrorNotice } from '../../../ui/notices';
import { Skeleton } from '../../../ui/query-boundary';
import { UserLine } from '../../../ui/user-text';
import { newestRunQuery } from '../../runs/api';
import { providersQuery } from '../api';
import { ModelName } from './model-name';
import css from './choose-models.module.css';

/** One of the providers' models. */
export function ChooseModel({ whenEmpty = '', ...labelled }: PickProps) {
  const { data } = useQuery(providersQuery);
  const options = (data?.items ?? []).flatMap((provider) =>
    provider.models.map((model) => ({ value: nameOf(provider, model), name: model.id, detail: provider.name })),
  );
  const known = new Map(options.map(({ value, name }) => [value, name]));
  return (
    <PickField
      {...{ whenEmpty, ...labelled }}
      lookup={useKnown(options)}
      nameOf={(value) => known.get(value) ?? value}
    />
  );
}

/** How many models are listed at once; the filter finds the others. */
const SHOWN = 100;

/** The models of each provider, with their prices. Chosen models stay chosen, whatever the filter shows. */
export function ChooseModels({ path }: { path: At }) {
  const { value, errors, refusal, set } = useField(path);
  const chosen = textsOf(value);
  const { data, error, isPending, refetch } = useQuery(providersQuery);
  const all = (data?.items ?? []).flatMap((provider) => provider.models.map((model) => ({ provider, model })));
  const choose = (models: string[], isChosen: boolean): void =>
    set(isChosen ? [...new Set([...chosen, ...models])] : chosen.filter((one) => !models.includes(one)));
  return (
    <fieldset>
      <legend>Models{chosen.length > 0 && `, ${count(chosen.length)} chosen`}</legend>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      {isPending && <Skeleton rows={13} />}
      {data && all.length === 0 && (
        <p>
          No provider has a model yet. An owner <Link to="/operate/providers/new">adds one</Link>.
        </p>
      )}
      <Faults faults={errors} />
      {data && (
        <Chosen {...{ all, chosen, refusal }} remove={(models) => choose(models, false)}>
          <AsLastTime {...{ chosen, all, refusal, set }} />
        </Chosen>
      )}
      {all.length > 0 && <ModelList {...{ all, chosen, choose, refusal }} />}
    </fieldset>
  );
}

interface Listed {
  provider: Provider;
  model: Model;
}
type Model = Provider['models'][number];
const nameOf = ({ key }: Provider, { id }: Model): string => `${key}::${id}`;

interface ChosenProps {
  all: Listed[];
  chosen: string[];
  refusal: string | undefined;
}

/** More chips than this are listed once asked for. */
const CHIPS = 12;

/** The chosen models, each of which can be removed. */
function Chosen({ all, chosen, refusal, remove, children }: ChosenProps & RemoveProps) {
  const [isWhole, setWhole] = useState(false);
  const known = new Set(all.map(({ provider, model }) => nameOf(provider, model)));
  const shown = isWhole ? chosen : chosen.slice(0, CHIPS);
  return (
    <>
      <div className="actions">
        {shown.map((name) => (
          <span key={name} className={css.chip} title={name}>
            <ModelName target={name} />
            {!known.has(name) && <span className="small">no longer available</span>}
            <button
              type="button"
              className="plain dense"
              disabled={refusal !== undefined}
              aria-label={`Remove ${name}`}
              onClick={() => remove([name])}
            >
              <Icon of={X} />
            </button>
          </span>
        ))}
        {shown.length < chosen.length && (
          <button type="button" className="dense" onClick={() => setWhole(true)}>
            {count(chosen.length - shown.length)} more
          </button>
        )}
      </div>
      <div className={`actions ${css.quick}`}>
        {children}
        {chosen.length > 1 && (
          <button type="button" className="dense" disabled={refusal !== undefined} onClick={() => remove(chosen)}>
            Clear
          </button>
        )}
      </div>
    </>
  );
}
interface RemoveProps {
  remove: (models: string[]) => void;
  children: ReactNode;
}

/** The models of the newest run of the form's suite. */
function AsLastTime({ all, chosen, refusal, set }: ChosenProps & { set: (models: string[]) => void }) {
  const suite = toText(useField('suite_id').value ?? '');
  const { data } = useQuery({ ...newestRunQuery(suite), enabled: suite !== '' });
  const known = new Set(all.map(({ provider, model }) => nameOf(provider, model)));
  const last = modelsOf(data?.items[0]).filter((name) => known.has(name));
  if (last.length === 0 || (last.length === chosen.length && last.every((name) => chosen.includes(name)))) return null;
  return (
    <button type="button" className="dense" disabled={refusal !== undefined} onClick={() => set(last)}>
      As last time: {last.length === 1 ? '1 model' : `${count(last.length)} models`}
    </button>
  );
}

/** The models that a run was asked to play, by their full names. */
export function modelsOf(run: Run | undefined): string[] {
  const models = run?.config.models;
  return (Array.isArray(models) ? models : [])
    .filter(isObject)
    .map(({ provider_key: key, model_id: id }) => `${toText(key)}::${toText(id)}`);
}

interface ListProps extends ChosenProps {
  choose: (models: string[], isChosen: boolean) => void;
}

function ModelList({ all, chosen, choose, refusal }: ListProps) {
  const [filter, setFilter] = useState('');
  const filterId = useId();
  const wanted = filter.trim().toLowerCase();
  const found = all.filter(({ provider, model }) => isFound(provider, model, wanted));
  return (
    <>
      <div className="field">
        <label htmlFor={filterId}>Filter models</label>
        <input
          id={filterId}
          type="search"
          data-filter
          value={filter}
          placeholder={`one of ${count(all.length)}`}
          onChange={({ target }) => setFilter(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && event.preventDefault()}
        />
      </div>
      <div className="model-list" tabIndex={0} role="group" aria-label="Models to choose from">
        {found.length === 0 && <p className="muted">No models match.</p>}
        {found.length > 0 && (
          <table className={css.models}>
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col" className="number" title="US dollars per million input tokens">
                  $ in / M
                </th>
                <th scope="col" className="number" title="US dollars per million output tokens">
                  $ out / M
                </th>
              </tr>
            </thead>
            {[...Map.groupBy(found.slice(0, SHOWN), ({ provider }) => provider)].map(([provider, listed]) => (
              <OfProvider key={provider.key} {...{ provider, listed, chosen, choose, refusal }} />
            ))}
          </table>
        )}
        {found.length > SHOWN && (
          <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
        )}
      </div>
    </>
  );
}

/** By its id with the provider's key, or by its display name. */
const isFound = (provider: Provider, model: Model, wanted: string): boolean =>
  `${nameOf(provider, model)} ${model.name ?? ''}`.toLowerCase().includes(wanted);

interface OfProviderProps extends Omit<ListProps, 'all'> {
  provider: Provider;
  listed: Listed[];
}

function OfProvider({ provider, listed, chosen, choose, refusal }: OfProviderProps) {
  const names = listed.map(({ model }) => nameOf(provider, model));
  const areAll = names.every((name) => chosen.includes(name));
  return (
    <tbody aria-label={provider.key}>
      <tr>
        <th scope="rowgroup" colSpan={3}>
          <div className={css.provider}>
            <UserLine text={provider.name} />
            <button
              type="button"
              className="plain dense"
              disabled={refusal !== undefined}
              aria-label={`Select ${areAll ? 'none' : 'all'} of ${provider.key}`}
              onClick={() => choose(names, !areAll)}
            >
              Select {areAll ? 'none' : 'all'}
            </button>
          </div>
        </th>
      </tr>
      {listed.map(({ model }, place) => (
        <tr key={model.id}>
          <td>
            <label className="check" title={names[place]}>
              <input
                type="checkbox"
                disabled={refusal !== undefined}
                title={refusal}
                checked={chosen.includes(names[place]!)}
                onChange={({ target }) => choose([names[place]!], target.checked)}
              />
              <UserLine text={model.id} />
            </label>
          </td>
          <td className="number muted">{priceOf(model.input_cost_per_mtok)}</td>
          <td className="number muted">{priceOf(model.output_cost_per_mtok)}</td>
        </tr>
      ))}
    </tbody>
  );
}

const priceOf = (price: number | null): string =>
  price === null ? '' : price.toLocaleString('en', { maximumFractionDigits: 4 });
