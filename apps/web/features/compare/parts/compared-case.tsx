import { Link } from '@tanstack/react-router';
import type { ComparedItem } from '#lib/contracts/comparison';
import { differenceWords } from '#lib/contracts/difference-words';
import type { ReactNode } from 'react';
import { percent } from '../../../ui/amounts';
import { LazyDetails } from '../../../ui/details';
import { UserBlock, UserLine, UserText } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import type { ModelNames } from '../../providers/parts/model-names';
import { expectedText } from '../../results/parts/paired-calls';
import { Samples } from '../../results/parts/verdict';
import { OUTCOME_WORDS } from '../address';
import { CallsText } from './call-text';
import css from './compare.module.css';
import { SideMark } from './comparison-mark';

interface Props {
  item: ComparedItem;
  /** The other run's letter; the baseline is A. */
  side: string;
  /** The names of the models, if several are compared. */
  names?: ModelNames;
  /** Whether its sides are shown when it is opened. */
  isFolded?: boolean;
}

/** A case in both runs: the expectation, each run's calls, and the verdicts. */
export function ComparedCase({ item, side, names, isFolded = false }: Props) {
  const head = <CaseHead item={item} names={names} />;
  const sides = (): ReactNode => (
    <>
      <p className={css.prompt}>
        <UserText text={item.prompt} max={MAX_PROMPT} />
      </p>
      <p>
        <span className="muted small">Expected</span>{' '}
        <code>
          <UserText text={expectedText(item)} max={MAX_CALLS} />
        </code>
      </p>
      <div className={css.sides}>
        <Side side="A" of={item.a} other={item.b} />
        <Side side={side} of={item.b} other={item.a} />
      </div>
    </>
  );
  return (
    <article className={isFolded ? `${css.case} ${css.dense}` : css.case}>
      {isFolded ? (
        <LazyDetails className={css.folded} summary={head}>
          {sides}
        </LazyDetails>
      ) : (
        <>
          <header>{head}</header>
          {sides()}
        </>
      )}
    </article>
  );
}

const CaseHead = ({ item, names }: Pick<Props, 'item' | 'names'>) => (
  <span className={`facts ${css.caseHead}`}>
    <span className={`status ${LOOKS[item.outcome]}`}>{OUTCOME_WORDS[item.outcome]}</span>
    {item.case_name !== null && (
      <strong>
        <UserText text={item.case_name} max={200} />
      </strong>
    )}
    {item.category !== null && (
      <span className="muted small">
        <UserText text={item.category} max={100} />
      </span>
    )}
    {names && (
      <span className="muted small">
        <ModelName target={item.target_b} of={names} />
      </span>
    )}
  </span>
);

type OneSide = ComparedItem['a'];

function Side({ side, of, other }: { side: string; of: OneSide; other: OneSide }) {
  return (
    <div className={css.side}>
      <div className="facts">
        <SideMark side={side} />
        <Samples samples={samplesOf(of)} />
        {of.score !== null && <span className="muted small">{percent(of.score)}</span>}
        <Link
          to="/runs/$runId/results/$resultId"
          params={{ runId: of.eval_id, resultId: of.result_id }}
          aria-label={`Open the result in ${side}`}
        >
          Open
        </Link>
      </div>
      <CallsText called={of.called} other={other.called} />
      <Reason of={of} />
    </div>
  );
}

/** Where it differs from the expectation; otherwise why it did not pass, in the server's words. */
function Reason({ of: { difference, explanation, passed_samples: passed, scored_samples: scored } }: { of: OneSide }) {
  if (difference) return <UserLine text={differenceWords(difference)} />;
  if (scored > 0 && passed === scored) return null;
  return <UserBlock text={explanation.join('\n')} />;
}

/** It is not known which samples passed, only how many. */
function samplesOf({ passed_samples: passed, scored_samples: scored, errored_samples: errored }: OneSide) {
  const some = (length: number, sample: { outcome: 'scored' | 'errored'; passed: boolean; overall: number | null }) =>
    Array.from({ length }, () => sample);
  return [
    ...some(passed, { outcome: 'scored', passed: true, overall: 1 }),
    ...some(scored - passed, { outcome: 'scored', passed: false, overall: 0 }),
    ...some(errored, { outcome: 'errored', passed: false, overall: null }),
  ];
}

const LOOKS: Record<ComparedItem['outcome'], string> = {
  fixed: 'passed',
  better: 'passed',
  broken: 'failed',
  worse: 'failed',
  same_wrong: 'waiting',
  same_mixed: 'waiting',
  same_right: 'waiting',
};
const MAX_PROMPT = 1000;
const MAX_CALLS = 3000;
