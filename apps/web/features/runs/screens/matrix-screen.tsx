import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import type { RunCases } from '#lib/contracts/run-facets';
import { Empty } from '../../../ui/empty';
import { Head } from '../../../ui/head';
import { FilterChoice } from '../../../ui/filters';
import { PageLinks } from '../../../ui/navigation';
import { count } from '../../../ui/amounts';
import { ModelName, useModelNames } from '../../providers/parts/model-name';
import { matrixSearch, type MatrixSearch } from '../address';
import { runCasesQuery, runQuery } from '../api';
import { Counted } from '../parts/counted';
import { Matrix, MatrixLegend } from '../parts/matrix';
import { ResultsLink, runInTitle, trailOfRun } from '../parts/run-link';
import { RunTabs } from '../parts/run-tabs';

const ROUTE = '/signed-in/runs/$runId/matrix';
const FILTERS = [
  ['all', 'all'],
  ['all_failed', 'where no model passed'],
] as const;

/** Where models disagree: each case with each model's result. */
export function MatrixScreen() {
  const { runId } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const { show, after, rescore } = search;
  const navigate = useNavigate();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  return (
    <>
      <Head
        title={`Cases by model of ${runInTitle(run, rescore)}`}
        trail={trailOfRun(run)}
        actions={
          <FilterChoice
            label="Cases"
            none="where models differ"
            choices={FILTERS}
            value={show}
            choose={(chosen) =>
              void navigate({
                to: '/runs/$runId/matrix',
                params: { runId },
                search: matrixSearch({ rescore, show: chosen }),
              })
            }
          />
        }
      />
      <RunTabs runId={runId} rescore={rescore} />
      <Counted
        key={`${show} ${after} ${rescore}`}
        run={run}
        query={runCasesQuery(runId, show, after, rescore)}
        rows={12}
      >
        {(cases) => <CaseMatrix {...{ run, cases, search }} />}
      </Counted>
    </>
  );
}

interface CasesProps {
  run: Run;
  cases: RunCases;
  search: MatrixSearch;
}

function CaseMatrix({ run, cases: { targets, items, total, next_cursor: next }, search }: CasesProps) {
  const { after, rescore } = search;
  const names = useModelNames(targets);
  if (items.length === 0 && after === undefined) return <NoCases run={run} search={search} />;
  return (
    <>
      <div className="facts small">
        <span>
          {count(total)} {total === 1 ? 'case' : 'cases'}
        </span>
        <MatrixLegend />
      </div>
      <Matrix
        targets={targets}
        prefix={names.prefix}
        nameOf={(target) => <ModelName target={target} of={names} />}
        cases={items}
        link={(of, content, label) => (
          <ResultsLink runId={run.id} search={{ rescore, ...of }} label={label}>
            {content}
          </ResultsLink>
        )}
      />
      <PageLinks of="cases" after={after} next={next} words={['First page', 'Next page']} />
    </>
  );
}

function NoCases({ run, search: { show, rescore } }: Omit<CasesProps, 'cases'>) {
  if (show === 'all') return <Empty>The run has no results.</Empty>;
  const isOnly = run.targets.length === 1;
  return (
    <Empty
      action={
        <Link to="/runs/$runId/matrix" params={{ runId: run.id }} search={{ rescore, show: 'all' }} className="button">
          Show all cases
        </Link>
      }
    >
      {show === 'all_failed' && 'At least one model passed each case.'}
      {show === undefined && isOnly && 'The run has only one model, so there is nothing to compare.'}
      {show === undefined && !isOnly && 'All models did equally well on every case.'}
    </Empty>
  );
}
