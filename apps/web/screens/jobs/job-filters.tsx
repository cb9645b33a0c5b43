import { JOB_STATUS_FILTERS, type JobsSearch } from '../../address/operate';
import { JOB_TYPES } from '../../parts/job-link';

interface Props {
  search: JobsSearch;
  narrow: (change: Partial<JobsSearch>) => void;
}

/** Which jobs are shown. The address has it, so that another reader sees the same. */
export const JobFilters = ({ search: { status, type }, narrow }: Props) => (
  <div className="actions" role="search" aria-label="Filter of jobs">
    <label>
      Status{' '}
      <select
        data-filter
        value={status ?? ''}
        onChange={({ target }) => narrow({ status: (target.value || undefined) as JobsSearch['status'] })}
      >
        <option value="">runs or waits</option>
        {Object.entries(JOB_STATUS_FILTERS).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
    <label>
      What it makes{' '}
      <select
        value={type ?? ''}
        onChange={({ target }) => narrow({ type: (target.value || undefined) as JobsSearch['type'] })}
      >
        <option value="">anything</option>
        {Object.entries(JOB_TYPES).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </label>
  </div>
);
