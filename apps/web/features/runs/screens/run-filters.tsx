import { useQuery } from '@tanstack/react-query';
import { STATUS_FILTERS, type RunsSearch, type StatusFilter } from '../address';
import { providersQuery } from '../../providers/api';
import { FilterChoice } from '../../../ui/filter-choice';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { TypedFilter } from '../../../ui/typed-filter';

type Narrow = (change: Partial<RunsSearch>) => void;

/** Filters of the run list. They are in the address, so that a shared link shows the same list. */
export function RunFilters({ search, narrow }: { search: RunsSearch; narrow: Narrow }) {
  const { suite, status, model } = search;
  const providers = useQuery(providersQuery);
  return (
    <div className="actions" role="search" aria-label="Filter runs">
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <FilterChoice
        label="Status"
        choices={Object.entries(STATUS_FILTERS).map(([key, [word]]) => [key, word])}
        value={status}
        choose={(chosen) => narrow({ status: chosen as StatusFilter | undefined })}
      />
      <TypedFilter
        key={model ?? ''}
        label="Model"
        value={model}
        maxLength={300}
        list="models-of-runs"
        choose={(chosen) => narrow({ model: chosen })}
      >
        <datalist id="models-of-runs">
          {providers.data?.items.flatMap(({ key, models }) =>
            models.map(({ id }) => <option key={`${key}::${id}`} value={`${key}::${id}`} />),
          )}
        </datalist>
      </TypedFilter>
    </div>
  );
}
