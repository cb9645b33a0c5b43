import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty';
import { Folded } from '../../../ui/details';
import { relativeTime } from '../../../ui/time';
import { ModelName } from '../../providers/parts/model-name';
import { caseResultsQuery } from '../../results/api';
import { CaseHistory } from '../../results/parts/case-history';
import { historyRows, shownOf, type HistoryResult, type HistoryRow } from '../../results/parts/case-history-rows';
import { samplesText, verdictOf, VerdictMark, type VerdictWord } from '../../results/parts/verdict';
import css from './case.module.css';

interface Props {
  suiteId: string;
  caseId: string;
}

/** So many runs are drawn; the table has all. */
const RUNS = 8;

/** How each model did on a case before: a mark for each run, the newest at the right. */
export function CaseBefore({ suiteId, caseId }: Props) {
  const results = useSuspenseInfiniteQuery(caseResultsQuery(suiteId, caseId));
  const rows = historyRows(results.data.pages.flatMap(({ items }) => items));
  if (rows.length === 0 && !results.hasNextPage) return <Empty>No run has included this case yet.</Empty>;
  const runs = rows.slice(0, RUNS).toReversed();
  const models = [...new Set(runs.toReversed().flatMap(({ byModel }) => [...byModel.keys()]))];
  return (
    <>
      <ul className={css.before}>
        {models.map((model) => (
          <li key={model}>
            <ModelName target={model} />
            <span className={css.marks}>
              {runs.map((row) => (
                <RunMark key={row.run.id} row={row} model={model} />
              ))}
            </span>
          </li>
        ))}
      </ul>
      <Folded title="By run">{() => <CaseHistory {...{ suiteId, caseId }} />}</Folded>
    </>
  );
}

function RunMark({ row: { run, byModel }, model }: { row: HistoryRow; model: string }) {
  const samples = byModel.get(model);
  if (!samples) return <span className={css.noMark} />;
  const when = `${run.name?.slice(0, 80) ?? 'Run'}, ${relativeTime(new Date(run.created_at))}, version ${run.suite_version}`;
  const words = samples.length === 1 ? verdictOf(samples[0]!) : samplesText(samples);
  return (
    <Link
      to="/runs/$runId/results/$resultId"
      params={{ runId: run.id, resultId: shownOf(samples).id }}
      title={`${when}: ${words}`}
      aria-label={`${model}, ${when}: ${words}`}
    >
      <VerdictMark word={verdictOfAll(samples)} />
    </Link>
  );
}

/** The verdict of several samples: partial if they differ. */
function verdictOfAll(samples: readonly HistoryResult[]): VerdictWord {
  const words = new Set(samples.map(verdictOf).filter((word) => word !== 'errored'));
  if (words.size === 0) return 'errored';
  return words.size === 1 ? [...words][0]! : 'partial';
}
