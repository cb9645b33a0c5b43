import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { edit } from '../../../ui/form/edited';
import { useForm } from '../../../ui/form/json-form';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { discoverModels } from '../api';
import { useKnownPrices } from './known-prices';
import { ModelFilter } from './models-fields';
import { idsOf, newModel } from './provider-value';

const SHOWN = 200;

/** Asks the endpoint for its models. Chosen ones are added to the form around it, and stored when that is saved. */
export function DiscoverModels({ providerKey }: { providerKey: string }) {
  const { edited, change, refusal } = useForm();
  const value = edited.value as JsonObject;
  const { find } = useKnownPrices(value);
  const mayAsk = useRefusal('editor');
  const [chosen, setChosen] = useState<string[]>([]);
  const discover = useMutation({ mutationFn: () => discoverModels(providerKey), onSuccess: () => setChosen([]) });
  const known = idsOf(value);
  const ids = [...new Set(discover.data?.models.map(({ id }) => id))].filter((id) => !known.has(id));
  const left = chosen.filter((id) => !known.has(id));
  const add = (): void => {
    const models = Array.isArray(value.models) ? value.models : [];
    change(edit(edited, ['models'], [...models, ...left.map((id) => newModel(id, find))]));
  };
  return (
    <div className="field">
      <div className="actions">
        <AllowedButton refusal={mayAsk} disabled={discover.isPending} onClick={() => discover.mutate()}>
          Discover models
        </AllowedButton>
        <span role="status" className="muted small">
          {discover.isPending && 'Asking the endpoint.'}
          {discover.data && `${count(discover.data.models.length)} found, ${count(ids.length)} of them new.`}
        </span>
      </div>
      {discover.isError && <ErrorNotice error={discover.error} retry={() => discover.mutate()} />}
      {ids.length > 0 && (
        <Found ids={ids} chosen={left} choose={setChosen}>
          <AllowedButton refusal={refusal} disabled={left.length === 0} onClick={add}>
            Add {left.length === 1 ? '1 model' : `${count(left.length)} models`}
          </AllowedButton>
        </Found>
      )}
    </div>
  );
}

interface FoundProps {
  ids: string[];
  chosen: string[];
  choose: (ids: string[]) => void;
  children: ReactNode;
}

function Found({ ids, chosen, choose, children }: FoundProps) {
  const [filter, setFilter] = useState('');
  const found = ids.filter((id) => id.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <fieldset>
      <legend>Models of the endpoint</legend>
      <ModelFilter label="Filter found models" text={filter} change={setFilter} />
      <div className={css.found} tabIndex={0} role="group" aria-label="Models to add">
        {found.slice(0, SHOWN).map((id) => (
          <label key={id} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) => choose(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
            />
            <UserText text={id} max={200} />
          </label>
        ))}
        {found.length > SHOWN && (
          <p className="muted">{count(found.length - SHOWN)} more: use the filter to find them.</p>
        )}
      </div>
      <div className="actions">{children}</div>
    </fieldset>
  );
}
