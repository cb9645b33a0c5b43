import type { UseQueryResult } from '@tanstack/react-query';
import type { Estimate } from '#lib/contracts/estimate';
import { isFieldFault } from '../../../api/client';
import { ErrorNotice, Warnings } from '../../../ui/notices';
import { ModelName } from '../../providers/parts/model-name';
import { count, Money } from '../../../ui/amounts';
import { Skeleton } from '../../../ui/query-boundary';
import { duration } from '../../../ui/time';
import type { FormFault } from '../../../ui/form/form-request';
import { Table } from '../../../ui/table';

interface Props {
  estimate: UseQueryResult<Estimate>;
  /** What has to be chosen first. */
  missing: FormFault[];
}

/** Estimate of the run, in total and for each model. */
export function EstimateFigures({ estimate: { data, error, isFetching, isPlaceholderData, refetch }, missing }: Props) {
  if (missing.length > 0)
    return (
      <>
        <h2>Estimate</h2>
        {missing.map(({ path, message }) => (
          <p key={path} className="muted">
            {message}
          </p>
        ))}
      </>
    );
  return (
    <>
      <h2>Estimate</h2>
      {error && <ErrorNotice error={error} retry={isFieldFault(error) ? undefined : () => refetch()} />}
      {!error && !data && <Skeleton rows={5} label="Estimating" />}
      {!error && data && (
        <div aria-busy={isFetching} className={isPlaceholderData ? 'muted' : ''}>
          <Figures estimate={data} />
        </div>
      )}
    </>
  );
}

function Figures({ estimate }: { estimate: Estimate }) {
  return (
    <>
      <dl className="estimate">
        <Figure name="Cases" value={count(estimate.cases)} />
        <Figure name="Requests" value={count(estimate.requests)} />
        {estimate.cached > 0 && <Figure name="From stored replies" value={count(estimate.cached)} />}
        <Figure name="Tokens" value={`${count(estimate.prompt_tokens)} in, ${count(estimate.completion_tokens)} out`} />
        <div>
          <dt>Cost</dt>
          <dd>
            <Money usd={estimate.cost_usd} />
          </dd>
        </div>
        <Figure name="Time" value={duration(estimate.duration_s * 1000)} />
      </dl>
      <EstimateDetails estimate={estimate} />
    </>
  );
}

/** What an estimate assumes, and what each model takes. */
export function EstimateDetails({ estimate }: { estimate: Estimate }) {
  const { cases, counted_cases: counted } = estimate;
  return (
    <>
      {counted < cases && <p className="muted small">Extrapolated from {count(counted)} cases.</p>}
      <Remarks {...estimate} />
      {estimate.targets.length > 1 && (
        <Table
          label="Estimate by model"
          rows={estimate.targets}
          keyOf={({ target }) => target}
          columns={[
            { name: 'Model', isHeading: true, className: 'named', cell: ({ target }) => <ModelName target={target} /> },
            { name: 'Requests', isNumber: true, cell: ({ requests }) => count(requests) },
            { name: 'Cost', isNumber: true, cell: ({ cost_usd: cost }) => <Money usd={cost} /> },
            { name: 'Time', isNumber: true, cell: ({ duration_s: seconds }) => duration(seconds * 1000) },
            {
              name: 'Tokens in, out',
              isNumber: true,
              cell: (target) => `${count(target.prompt_tokens)}, ${count(target.completion_tokens)}`,
            },
          ]}
        />
      )}
    </>
  );
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The assumptions behind the figures, and how hosts treat the tools. */
const Remarks = ({ assumptions = [], warnings = [] }: Estimate) => (
  <>
    {assumptions.map((sentence) => (
      <p key={sentence} className="muted small">
        {sentence}
      </p>
    ))}
    <Warnings warnings={warnings} />
  </>
);
