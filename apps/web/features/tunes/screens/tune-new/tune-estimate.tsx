import type { UseQueryResult } from '@tanstack/react-query';
import type { ParamTuneEstimate } from '#lib/param-tune/contract';
import { UserLine } from '../../../../ui/user-text';
import { count } from '../../../../ui/score';
import { EstimateFigures } from '../../../runs/parts/estimate-figures';
import type { FormFault } from '../../../../ui/form/form-request';
import { Warnings } from '../../../../ui/warnings';

interface Props {
  estimate: UseQueryResult<ParamTuneEstimate>;
  missing: FormFault[];
}

/** Combinations, requests, cost and time, and remarks. */
export function TuneEstimate({ estimate, missing }: Props) {
  const { data, error } = estimate;
  const isShown = missing.length === 0 && !error && data !== undefined;
  return (
    <>
      <EstimateFigures estimate={estimate} missing={missing} />
      {isShown && <Combinations estimate={data} />}
      {isShown && <Warnings warnings={data.notes} />}
    </>
  );
}

function Combinations({ estimate: { combinations, distinct } }: { estimate: ParamTuneEstimate }) {
  return (
    <div>
      <h3>Combinations</h3>
      <dl className="estimate">
        <div>
          <dt>Total</dt>
          <dd>{count(combinations)}</dd>
        </div>
        {Object.entries(distinct).map(([target, arms]) => (
          <div key={target}>
            <dt className="named">
              <UserLine text={target} />
            </dt>
            <dd>{count(arms)} distinct</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
