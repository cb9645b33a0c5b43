import type { UseQueryResult } from '@tanstack/react-query';
import type { PromptTuneEstimate as Estimate } from '#lib/prompt-tune/contract';
import { UserLine } from '../../../../ui/user-text';
import { Money } from '../../../../ui/money';
import { count } from '../../../../ui/score';
import { EstimateFigures } from '../../../runs/parts/estimate-figures';
import type { FormFault } from '../../../../ui/form/form-request';
import { Warnings } from '../../../../ui/warnings';

interface Props {
  estimate: UseQueryResult<Estimate>;
  missing: FormFault[];
}

/** Total requests, cost and time, the meta model's share, and remarks. */
export function PromptTuneEstimate({ estimate, missing }: Props) {
  const { data, error } = estimate;
  const isShown = missing.length === 0 && !error && data !== undefined;
  return (
    <>
      <EstimateFigures estimate={estimate} missing={missing} />
      {isShown && <OfMeta estimate={data} />}
      {isShown && <Texts components={data.components} />}
      {isShown && <Warnings warnings={data.notes} />}
    </>
  );
}

function OfMeta({ estimate: { meta } }: { estimate: Estimate }) {
  return (
    <div>
      <h3>Meta model</h3>
      <dl className="estimate">
        <div>
          <dt>Requests</dt>
          <dd>about {count(meta.requests)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>
            {count(meta.prompt_tokens)} in, {count(meta.completion_tokens)} out
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            <Money usd={meta.cost_usd} />
          </dd>
        </div>
      </dl>
    </div>
  );
}

function Texts({ components }: { components: string[] }) {
  return (
    <details>
      <summary>{components.length === 1 ? 'One text is tuned' : `${count(components.length)} texts are tuned`}</summary>
      <ul className="texts">
        {components.map((component) => (
          <li key={component}>
            <UserLine text={component} />
          </li>
        ))}
      </ul>
    </details>
  );
}
