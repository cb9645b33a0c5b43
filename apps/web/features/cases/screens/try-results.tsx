import { Money } from '../../../ui/amounts';
import { duration } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';
import { Calls } from '../../results/parts/calls';
import { Exchange } from '../../results/parts/exchange';
import { Chain, Explanation, ModelReply, SchemaProblems } from '../../results/parts/result-details';
import { Verdict } from '../../results/parts/verdict';
import type { Try, TryResult } from '../api';
import css from './case.module.css';

interface Props {
  answer: Try;
  /** The case or a setting has changed since. */
  isOfEarlier: boolean;
}

/** The models' results for the case, one after the other. */
export function TryResults({ answer: { results, cost_usd: cost, warnings }, isOfEarlier }: Props) {
  const passed = results.filter((result) => result.passed).length;
  const errored = results.filter(({ outcome }) => outcome === 'errored').length;
  return (
    <>
      <p role="status">
        {passed} of {results.length - errored} passed{errored > 0 && `, ${errored} errored`}. Cost: <Money usd={cost} />
        .{isOfEarlier && ' The case or a setting has changed since.'}
      </p>
      <Warnings warnings={warnings} />
      <ol className={css.tried}>
        {results.map((result) => (
          <li key={result.target}>
            <TryOutResult result={result} />
          </li>
        ))}
      </ol>
    </>
  );
}

function TryOutResult({ result }: { result: TryResult }) {
  return (
    <article aria-label={result.target.slice(0, 300)}>
      <h3>
        <UserLine text={result.target} />
      </h3>
      <p className="actions">
        <Verdict of={result} />
        {result.outcome === 'scored' && (
          <span>
            score {percentOrNone(result.overall)}: tool {percentOrNone(result.tool_score)}, arguments{' '}
            {percentOrNone(result.param_score)}
          </span>
        )}
        <span className="muted">
          {result.latency_ms !== null && <>{duration(result.latency_ms)}, </>}
          {result.outcome === 'scored' ? <Money usd={result.cost_usd} /> : 'no answer'}
        </span>
      </p>
      <Explanation result={result} of={result.target} />
      <ModelReply result={result} of={result.target} />
      {result.outcome === 'scored' && <Calls result={result} of={result.target} />}
      <div>
        <SchemaProblems result={result} />
        <Chain result={result} />
        {result.outcome === 'scored' && <Exchange result={result} />}
      </div>
    </article>
  );
}

const percentOrNone = (value: number | null): string => (value === null ? 'none' : `${(value * 100).toFixed(1)} %`);
