import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState, type ReactNode } from 'react';
import type { Json } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';
import { providersQuery } from '../api';
import { ErrorNotice } from '../../../ui/notices';
import { UserText, UserLine } from '../../../ui/user-text';
import { count } from '../../../ui/amounts';
import { Skeleton } from '../../../ui/query-boundary';
import { ChoiceField } from '../../../ui/form/fields';
import { textsOf } from '../../../ui/form/form-request';
import { type At, Faults, useField } from '../../../ui/form/json-form';

interface ChooseModelProps {
  path: At;
  label: string;
  help?: ReactNode;
  /** The label and the value of no choice. */
  none?: string;
  whenEmpty?: Json;
}

/** One of the providers' models. */
export function ChooseModel({ none = 'choose', whenEmpty = '', ...labelled }: ChooseModelProps) {
  const { data } = useQuery(providersQuery);
  return (
    <ChoiceField
      {...{ none, whenEmpty, ...labelled }}
      options={(data?.items ?? []).map(({ key, name, models }) => ({
        group: name,
        options: models.map(({ id }) => [`${key}::${id}`, id] as const),
      }))}
    />
  );
}

/** How many models are listed at once; the filter finds the others. */
const SHOWN = 200;

/** The models of each provider, with their prices. Chosen models stay chosen, whatever the filter shows. */
export function ChooseModels({ path }: { path: At }) {
  const { value, errors, refusal, set } = useField(path);
  const chosen = textsOf(value);
  const { data, error, isPending, refetch } = useQuery(providersQuery);
  const [filter, setFilter] = useState('');
  const filterId = useId();
  const all = (data?.items ?? []).flatMap((provider) => provider.models.map((model) => ({ provider, model })));
  const known = new Set(all.map(({ provider, model }) => nameOf(provider, model)));
  const gone = data ? chosen.filter((model) => !known.has(model)) : [];
  const choose = (model: string, isChosen: boolean): void =>
    set(isChosen ? [...chosen, model] : chosen.filter((one) => one !== model));
  return (
    <fieldset>
      <legend>Models{chosen.length > 0 && `, ${chosen.length} chosen`}</legend>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      {isPending && <Skeleton rows={5} />}
      {data && all.length === 0 && (
        <p>
          No provider has a model yet. An owner <Link to="/operate/providers/new">adds one</Link>.
        </p>
      )}
      {all.length > 0 && (
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
      )}
      <Faults faults={errors} />
      <div className="model-list" tabIndex={0} role="group" aria-label="Models to choose from">
        {gone.map((model) => (
          <label key={model} className="check">
            <input type="checkbox" checked disabled={refusal !== undefined} onChange={() => choose(model, false)} />
            <UserText text={model} max={300} /> <span className="muted small">no longer available</span>
          </label>
        ))}
        {all.length > 0 && <ModelList {...{ all, filter, chosen, choose, refusal }} />}
      </div>
    </fieldset>
  );
}

interface Listed {
  provider: Provider;
  model: Model;
}
interface ListProps {
  all: Listed[];
  filter: string;
  chosen: string[];
  choose: (model: string, isChosen: boolean) => void;
  refusal: string | undefined;
}

function ModelList({ all, filter, chosen, choose, refusal }: ListProps) {
  const wanted = filter.trim().toLowerCase();
  const found = all.filter(({ provider, model }) => nameOf(provider, model).toLowerCase().includes(wanted));
  if (found.length === 0) return <p className="muted">No models match.</p>;
  return (
    <>
      {[...Map.groupBy(found.slice(0, SHOWN), ({ provider }) => provider)].map(([provider, listed]) => (
        <div key={provider.key} role="group" aria-label={provider.key}>
          <div className="label">
            <UserLine text={provider.name} />
          </div>
          {listed.map(({ model }) => (
            <label key={model.id} className="check">
              <input
                type="checkbox"
                disabled={refusal !== undefined}
                title={refusal}
                checked={chosen.includes(nameOf(provider, model))}
                onChange={({ target }) => choose(nameOf(provider, model), target.checked)}
              />
              <UserText text={model.id} max={200} />
              <span className="muted small">{priceOf(model)}</span>
            </label>
          ))}
        </div>
      ))}
      {found.length > SHOWN && (
        <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
      )}
    </>
  );
}

type Model = Provider['models'][number];
const nameOf = ({ key }: Provider, { id }: Model): string => `${key}::${id}`;

function priceOf({ input_cost_per_mtok: input, output_cost_per_mtok: output }: Model): string {
  if (input === null && output === null) return 'no price';
  return `$${input ?? '?'} in, $${output ?? '?'} out per million tokens`;
}
