import type { PromptsSearch } from '../address';
import { SuiteFilter } from '../../suites/parts/choose-suite';
import { TypedFilter } from '../../../ui/typed-filter';

type Narrow = (change: Partial<PromptsSearch>) => void;

/** Filters of the version list. They are in the address, so that a shared link shows the same list. */
export function PromptFilters({ search, narrow }: { search: PromptsSearch; narrow: Narrow }) {
  const { suite, tag } = search;
  return (
    <div className="actions" role="search" aria-label="Filter prompt versions">
      <SuiteFilter suite={suite} choose={(chosen) => narrow({ suite: chosen })} />
      <TypedFilter
        key={tag ?? ''}
        label="Tag"
        value={tag}
        maxLength={50}
        choose={(chosen) => narrow({ tag: chosen })}
      />
    </div>
  );
}
