import { Money } from '../../../ui/amounts';
import { duration } from '../../../ui/time';
import { Warnings } from '../../../ui/notices';
import { ModelName } from '../../providers/parts/model-name';
import { Answered } from '../../results/parts/answered';
import { Exchange } from '../../results/parts/exchange';
import { Chain, Explanation, SchemaProblems } from '../../results/parts/result-details';
import { Verdict } from '../../results/parts/verdict';
import type { Try, TryResult } from '../try-out';
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

/** One model's result: folded if it passed. */
function TryOutResult({ result }: { result: TryResult }) {
  const isScored = result.outcome === 'scored';
  return (
    <article aria-label={result.target.slice(0, 300)}>
      <details open={!result.passed}>
        <summary>
          <span className={css.tryHead}>
            <h3>
              <ModelName target={result.target} />
            </h3>
            <Verdict of={result} />
            <span className="muted small">
              {isScored && <>{percentOrNone(result.overall)}, </>}
              {result.latency_ms !== null && <>{duration(result.latency_ms)}, </>}
              {isScored ? <Money usd={result.cost_usd} /> : 'no answer'}
            </span>
          </span>
        </summary>
        <div className={css.tryResult}>
          <Explanation result={result} of={result.target} />
          <Answered result={result} of={result.target} isOnlyAnswered />
          <div>
            <SchemaProblems result={result} />
            <Chain result={result} />
            {isScored && <Exchange result={result} />}
          </div>
        </div>
      </details>
    </article>
  );
}

const percentOrNone = (value: number | null): string => (value === null ? 'none' : `${(value * 100).toFixed(1)} %`);
