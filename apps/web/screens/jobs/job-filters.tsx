import { JOB_STATUS_FILTERS, type JobsSearch } from '../../address/operate';
import { FilterChoice } from '../../parts/filter-choice';
import { JOB_TYPES } from '../../parts/job-link';

interface Props {
  search: JobsSearch;
  narrow: (change: Partial<JobsSearch>) => void;
}

/** Filters of the job list. They are in the address, so that a shared link shows the same list. */
export const JobFilters = ({ search: { status, type }, narrow }: Props) => (
  <div className="actions" role="search" aria-label="Filter of jobs">
    <FilterChoice
      label="Status"
      choices={Object.entries(JOB_STATUS_FILTERS)}
      none="running or queued"
      value={status}
      choose={(chosen) => narrow({ status: chosen as JobsSearch['status'] })}
    />
    <FilterChoice
      label="Type"
      choices={Object.entries(JOB_TYPES)}
      none="all types"
      value={type}
      choose={(chosen) => narrow({ type: chosen as JobsSearch['type'] })}
    />
  </div>
);
