import type { UseQueryResult } from '@tanstack/react-query';
import type { Estimate } from '#lib/contracts/estimate';
import { isFieldFault } from '../../../../api/client';
import { count, Money } from '../../../../ui/amounts';
import type { FormFault } from '../../../../ui/form/form-request';
import { useField } from '../../../../ui/form/json-form';
import { Hint } from '../../../../ui/hint';
import { ErrorNotice } from '../../../../ui/notices';
import { duration } from '../../../../ui/time';
import { EstimateDetails } from '../../parts/estimate-figures';
import css from './run-new.module.css';

interface Props {
  estimate: UseQueryResult<Estimate>;
  /** What has to be chosen first. */
  missing: FormFault[];
}

/** What the run will take, in a line. */
export function EstimateBar({ estimate: { data, error, isFetching, isPlaceholderData, refetch }, missing }: Props) {
  if (missing.length > 0)
    return missing.map(({ path, message }) => (
      <p key={path} className={`muted ${css.line}`}>
        {message}
      </p>
    ));
  if (error) return <ErrorNotice error={error} retry={isFieldFault(error) ? undefined : () => refetch()} />;
  if (!data) return <p className={`muted ${css.line}`}>Estimating.</p>;
  return (
    <div aria-busy={isFetching} className={isPlaceholderData ? `muted ${css.estimate}` : css.estimate}>
      <div className="actions">
        <strong>
          <Money usd={data.cost_usd} />
        </strong>
        <span>
          {count(data.requests)} {data.requests === 1 ? 'request' : 'requests'}
        </span>
        {data.cached > 0 && (
          <span>
            {count(data.cached)} <Hint term="stored reply">stored</Hint>
          </span>
        )}
        <span>about {duration(data.duration_s * 1000)}</span>
      </div>
      <AskAgain estimate={data} />
      <details>
        <summary className="small">
          {data.warnings?.length ? `${count(data.warnings.length)} to look at` : 'Details'}
        </summary>
        <p className="small muted">
          {count(data.cases)} {data.cases === 1 ? 'case' : 'cases'}, {count(data.prompt_tokens)} tokens in,{' '}
          {count(data.completion_tokens)} out.
        </p>
        <EstimateDetails estimate={data} />
      </details>
    </div>
  );
}

/** A run of stored replies alone repeats an earlier one: the models can be asked again instead. */
function AskAgain({ estimate: { requests, cached } }: { estimate: Estimate }) {
  const { value, refusal, set } = useField('cache');
  const isAsked = value === 'refresh';
  if (!isAsked && (requests > 0 || cached === 0)) return null;
  return (
    <div className="notice actions">
      {!isAsked && 'All replies would be stored ones: a copy of an earlier run.'}
      <label className="check">
        <input
          type="checkbox"
          disabled={refusal !== undefined}
          checked={isAsked}
          onChange={({ target }) => set(target.checked ? 'refresh' : undefined)}
        />
        Ask the models again
      </label>
    </div>
  );
}
