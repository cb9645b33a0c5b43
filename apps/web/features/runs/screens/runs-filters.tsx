import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useKnown, useLookup } from '../../../ui/combobox';
import { DayFilter, FilterBar, FilterChoice, PickFilter, TypedFilter } from '../../../ui/filters';
import { experimentChoicesQuery, experimentQuery } from '../../experiments/api';
import { providersQuery } from '../../providers/api';
import { useModelLabel } from '../../providers/parts/model-name';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { keptOf, STATUS_FILTERS, type RunsSearch, type StatusFilter } from '../address';
import { keepView } from '../parts/kept-view';

interface Props {
  search: RunsSearch;
}
type Narrow = (change: Partial<RunsSearch>) => void;
interface FilterProps extends Props {
  narrow: Narrow;
}

/** Filters of the list. They are in the address, so that a shared link shows the same list. */
export function RunsFilters({ search }: Props) {
  const navigate = useNavigate();
  const narrow: Narrow = (change) => {
    const next: RunsSearch = { ...search, after: undefined, ...change };
    keepView('runs', keptOf(next));
    void navigate({ to: '/runs', search: next });
  };
  const { q, suite, status, experiment, from, to, tag, archived } = search;
  const isMore = [experiment, from, to, tag, archived].some((value) => value !== undefined);
  return (
    <FilterBar label="Filter runs">
      <TypedFilter label="Name" value={q} maxLength={200} choose={(chosen) => narrow({ q: chosen })} />
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <ModelFilter search={search} narrow={narrow} />
      <FilterChoice
        label="Status"
        choices={Object.entries(STATUS_FILTERS).map(([key, [word]]) => [key, word])}
        value={status}
        choose={(chosen) => narrow({ status: chosen as StatusFilter | undefined })}
      />
      <details open={isMore}>
        <summary>More filters</summary>
        <div className="actions">
          <ExperimentFilter search={search} narrow={narrow} />
          <DayFilter label="From" value={from} choose={(day) => narrow({ from: day })} />
          <DayFilter label="To" value={to} choose={(day) => narrow({ to: day })} />
          <TypedFilter label="My tag" value={tag} maxLength={50} choose={(chosen) => narrow({ tag: chosen })} />
          <FilterChoice
            label="Archived"
            none="left out"
            choices={[
              ['true', 'only'],
              ['any', 'included'],
            ]}
            value={archived}
            choose={(chosen) => narrow({ archived: chosen as RunsSearch['archived'] })}
          />
        </div>
      </details>
    </FilterBar>
  );
}

function ModelFilter({ search: { model = '' }, narrow }: FilterProps) {
  const { data } = useQuery(providersQuery);
  const labelOf = useModelLabel();
  const options = (data?.items ?? []).flatMap(({ key, name, models }) =>
    models.map(({ id }) => ({ value: `${key}::${id}`, name: labelOf(`${key}::${id}`), detail: name })),
  );
  return (
    <PickFilter
      label="Model"
      value={model}
      chosen={model && labelOf(model)}
      lookup={useKnown(options)}
      choose={(chosen) => narrow({ model: chosen })}
    />
  );
}

function ExperimentFilter({ search: { experiment = '', suite = '' }, narrow }: FilterProps) {
  const { data } = useQuery({ ...experimentQuery(experiment), enabled: experiment !== '', retry: false });
  const lookup = useLookup(
    (name) => experimentChoicesQuery(suite, name),
    ({ id, name }) => ({ value: id, name }),
  );
  return (
    <PickFilter
      label="Experiment"
      value={experiment}
      chosen={experiment && (data?.name ?? 'unknown experiment')}
      lookup={lookup}
      choose={(chosen) => narrow({ experiment: chosen })}
    />
  );
}
