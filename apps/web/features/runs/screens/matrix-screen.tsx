import { matrixSearch } from '../run-views';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { RunCases } from '#lib/contracts/run-facets';
import type { Run } from '#lib/contracts/run';
import { runCasesQuery, type CasesShown } from '../api/counted';
import { Matrix } from '../parts/matrix';
import { Counted } from '../parts/counted';
import { Empty } from '../../../ui/empty';
import { FilterChoice } from '../../../ui/filter-choice';
import { PageLinks } from '../../../ui/page-links';
import { OfRun } from '../parts/of-run';
import { RunInHeading } from '../parts/run-link';
import { count } from '../../../ui/score';

const ROUTE = '/signed-in/runs/$runId/matrix';
const FILTERS = [
  ['all', 'all'],
  ['all_failed', 'where no model passed'],
] as const;

/** Where models disagree: each case with each model's result. */
export function MatrixScreen() {
  const { runId } = useParams({ from: ROUTE });
  const { show = 'differing', after, rescore } = useSearch({ from: ROUTE });
  return (
    <OfRun runId={runId}>
      {(run) => (
        <>
          <Head run={run} show={show} rescore={rescore} />
          <Counted
            key={`${show} ${after ?? ''} ${rescore ?? ''}`}
            run={run}
            query={runCasesQuery(runId, show, after, rescore)}
            rows={12}
          >
            {(cases) => <CaseMatrix run={run} cases={cases} show={show} after={after} rescore={rescore} />}
          </Counted>
        </>
      )}
    </OfRun>
  );
}

function Head({ run, show, rescore }: Omit<CasesProps, 'cases' | 'after'>) {
  const navigate = useNavigate();
  const choose = (chosen: string | undefined): void =>
    void navigate({
      to: '/runs/$runId/matrix',
      params: { runId: run.id },
      search: matrixSearch({ rescore, show: chosen }),
    });
  return (
    <div className="head">
      <h1>
        Cases by model of <RunInHeading run={run} rescore={rescore} />
      </h1>
      <span className="actions">
        <FilterChoice
          label="Cases"
          none="where models differ"
          choices={FILTERS}
          value={show === 'differing' ? undefined : show}
          choose={choose}
        />
      </span>
    </div>
  );
}

interface CasesProps {
  run: Run;
  cases: RunCases;
  show: CasesShown;
  after: string | undefined;
  rescore: string | undefined;
}

function CaseMatrix({ run, cases: { targets, items, total, next_cursor: next }, show, after, rescore }: CasesProps) {
  const params = { runId: run.id };
  if (items.length === 0 && after === undefined) return <NoCases run={run} show={show} rescore={rescore} />;
  return (
    <>
      <p className="muted">
        {count(total)} {total === 1 ? 'case' : 'cases'}. Cells link to the results of their case and model.
      </p>
      <Matrix
        targets={targets}
        cases={items}
        link={({ caseId, target }, label, content) => (
          <Link
            to="/runs/$runId/results"
            params={params}
            search={{ rescore, case: caseId, model: [target] }}
            aria-label={label}
          >
            {content}
          </Link>
        )}
        caseLink={(caseId, name) => (
          <Link to="/runs/$runId/results" params={params} search={{ rescore, case: caseId }}>
            {name}
          </Link>
        )}
      />
      <PageLinks of="cases" after={after} next={next} words={['First page', 'Next page']} />
    </>
  );
}

function NoCases({ run, show, rescore }: Omit<CasesProps, 'cases' | 'after'>) {
  const all = (
    <Link to="/runs/$runId/matrix" params={{ runId: run.id }} search={{ rescore, show: 'all' }} className="button">
      Show all cases
    </Link>
  );
  if (show === 'all') return <Empty>The run has no results.</Empty>;
  if (show === 'all_failed') return <Empty action={all}>At least one model passed each case.</Empty>;
  return (
    <Empty action={all}>
      {run.targets.length === 1
        ? 'The run has only one model, so there is nothing to compare.'
        : 'All models did equally well on every case.'}
    </Empty>
  );
}
