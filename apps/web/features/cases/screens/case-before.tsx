import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CaseVerdicts } from '#lib/contracts/case-result';
import { Folded } from '../../../ui/details';
import { Empty } from '../../../ui/empty';
import { relativeTime } from '../../../ui/time';
import { ModelName } from '../../providers/parts/model-name';
import { CaseHistory } from '../../results/parts/case-history';
import { countedVerdict } from '../../results/parts/verdict-counts';
import { VerdictMark } from '../../results/parts/verdict';
import { caseVerdictsQuery } from '../api';
import css from './case.module.css';

interface Props {
  suiteId: string;
  caseId: string;
}

/** How each model did on a case in the newest runs: a mark for each, the newest at the right. */
export function CaseBefore({ suiteId, caseId }: Props) {
  const { runs, left_out: others } = useSuspenseQuery(caseVerdictsQuery(suiteId, caseId)).data;
  if (runs.length === 0) return <Empty>No run has included this case yet.</Empty>;
  const models = [...new Set(runs.flatMap(({ verdicts }) => verdicts.map(({ target }) => target)))];
  const oldestFirst = runs.toReversed();
  return (
    <>
      <ul className={css.before}>
        {models.map((model) => (
          <li key={model}>
            <ModelName target={model} />
            <span className={css.marks}>
              {oldestFirst.map((run) => (
                <RunMark key={run.id} run={run} model={model} />
              ))}
            </span>
          </li>
        ))}
      </ul>
      <Folded title={others > 0 ? `All runs (${others} older)` : 'By run'}>
        {() => <CaseHistory {...{ suiteId, caseId }} />}
      </Folded>
    </>
  );
}

function RunMark({ run, model }: { run: CaseVerdicts['runs'][number]; model: string }) {
  const found = run.verdicts.find(({ target }) => target === model);
  if (!found) return <span className={css.noMark} />;
  const { scored, passed, errored, result_id: resultId } = found;
  const name = run.name?.slice(0, 80) ?? 'Run';
  const when = `${name}, ${relativeTime(new Date(run.created_at))}, version ${run.suite_version}`;
  const word = countedVerdict(found);
  const words = scored + errored > 1 && scored > 0 ? `${passed} of ${scored} passed` : word;
  return (
    <Link
      to="/runs/$runId/results/$resultId"
      params={{ runId: run.id, resultId }}
      title={`${when}: ${words}`}
      aria-label={`${model}, ${when}: ${words}`}
    >
      <VerdictMark word={word} />
    </Link>
  );
}
