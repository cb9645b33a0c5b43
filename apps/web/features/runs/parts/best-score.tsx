import type { Run } from '#lib/contracts/run';
import { Chip } from '../../../ui/chip';
import { ModelName } from '../../providers/parts/model-name';
import { bestOf, bestText, isModel } from './run-score';

interface Props {
  run: Pick<Run, 'top' | 'summaries' | 'targets' | 'counts'>;
  /** The model of a filter, whose score is shown instead. */
  model?: string;
  /** Also names the best model. */
  isNamed?: boolean;
}

/** The best score of a run, whether several models tie for it, or how many results it has if it stopped before. */
export function BestScore({ run, model, isNamed = false }: Props) {
  const best = bestOf(run, model);
  const text = bestText(best);
  if (best.is === 'none') {
    const of = model === undefined ? run.counts : run.targets.find(({ target }) => isModel(target, model));
    const isOver = of !== undefined && of.errored > 0 && of.errored === of.settled;
    return isOver && <Chip kind="errored">nothing scored</Chip>;
  }
  if (best.is === 'part')
    return (
      <Chip kind="partial" title="Not all results are in, so the score says little.">
        {text}
      </Chip>
    );
  if (best.is === 'tie') return <span title={best.targets.slice(0, MAX_NAMED).join(', ')}>{text}</span>;
  return (
    <>
      {text}
      {isNamed && (
        <span className="small muted">
          <ModelName target={best.targets[0]!} />
        </span>
      )}
    </>
  );
}

const MAX_NAMED = 12;
