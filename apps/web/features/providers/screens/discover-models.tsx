import { useMutation } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { discoverModels } from '../api';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/allowed-button';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { count } from '../../../ui/score';

const SHOWN = 200;

interface Props {
  providerKey: string;
  /** Ids of the models that are already in the form. */
  known: ReadonlySet<string>;
  addModels: (ids: string[]) => void;
}

/** Asks the endpoint for its models. Chosen ones are added to the form, and stored when that is saved. */
export function DiscoverModels({ providerKey, known, addModels: takeOver }: Props) {
  const mayAsk = useRefusal('editor');
  const mayChange = useRefusal('owner');
  const [chosen, setChosen] = useState<string[]>([]);
  const discover = useMutation({ mutationFn: () => discoverModels(providerKey), onSuccess: () => setChosen([]) });
  const ids = [...new Set(discover.data?.models.map(({ id }) => id))].filter((id) => !known.has(id));
  const left = chosen.filter((id) => !known.has(id));
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
          <AllowedButton refusal={mayChange} disabled={left.length === 0} onClick={() => takeOver(left)}>
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
  const filterId = useId();
  const found = ids.filter((id) => id.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <fieldset>
      <legend>Models of the endpoint</legend>
      <div className="field">
        <label htmlFor={filterId}>Filter found models</label>
        <input
          id={filterId}
          type="search"
          maxLength={200}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && event.preventDefault()}
        />
      </div>
      <div className="found-models" tabIndex={0} role="group" aria-label="Models to add">
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
