import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { STATUS_FILTERS, type RunsSearch, type StatusFilter } from '../../address/runs';
import { providersQuery } from '../../api/providers';
import { FilterChoice } from '../../parts/filter-choice';
import { SuiteFilter } from '../../parts/suite-filter';

type Narrow = (change: Partial<RunsSearch>) => void;

/** Filters of the run list. They are in the address, so that a shared link shows the same list. */
export function RunFilters({ search, narrow }: { search: RunsSearch; narrow: Narrow }) {
  const { suite, status } = search;
  return (
    <div className="actions" role="search" aria-label="Filter runs">
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <FilterChoice
        label="Status"
        choices={Object.entries(STATUS_FILTERS).map(([key, [word]]) => [key, word])}
        value={status}
        choose={(chosen) => narrow({ status: chosen as StatusFilter | undefined })}
      />
      <ModelFilter key={search.model ?? ''} model={search.model} narrow={narrow} />
    </div>
  );
}

/** A deleted model can also be chosen, since its runs remain. */
function ModelFilter({ model, narrow }: { model: string | undefined; narrow: Narrow }) {
  const providers = useQuery(providersQuery);
  const [text, setText] = useState(model ?? '');
  const apply = (): void => {
    const next = text.trim() || undefined;
    if (next !== model) narrow({ model: next });
  };
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label>
        Model{' '}
        <input
          list="models-of-runs"
          value={text}
          maxLength={300}
          placeholder="any"
          onChange={({ target }) => setText(target.value)}
          onBlur={apply}
        />
      </label>
      <datalist id="models-of-runs">
        {providers.data?.items.flatMap(({ key, models }) =>
          models.map(({ id }) => <option key={`${key}::${id}`} value={`${key}::${id}`} />),
        )}
      </datalist>
    </form>
  );
}
