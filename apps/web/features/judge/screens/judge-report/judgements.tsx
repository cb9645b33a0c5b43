import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Judgement, JudgeReport } from '#lib/judge/contract';
import { FilterChoice } from '../../../../ui/filters';
import { useKeptQuery } from '../../../../ui/list';
import { PageLinks } from '../../../../ui/navigation';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { UserLine, UserText, visible } from '../../../../ui/user-text';
import {
  AGREEMENT_WORDS,
  OPINION_WORDS,
  PREFERENCE_WORDS,
  reportSearch,
  STATE_WORDS,
  type ReportSearch,
} from '../../address';
import { judgementsQuery } from '../../api';
import css from '../../parts/judge.module.css';
import { JudgementMark, JudgementReasons, VerdictNote, wordOf } from '../../parts/judgement';
import { ModelName } from '../../../providers/parts/model-name';

interface Props {
  report: JudgeReport;
  filter: ReportSearch;
}

/** The judgement of each result, in the order in which the results were chosen. */
export function Judgements({ report }: Pick<Props, 'report'>) {
  const search = useSearch({ from: '/signed-in/judge/reports/$reportId' });
  const { after: _, ...filter } = search;
  return (
    <section aria-labelledby="judgements" className="section">
      <h2 id="judgements">Judgements</h2>
      {Object.keys(search).length === 0 && report.baseline_eval_id === null && <Disputed report={report} />}
      <Filters report={report} filter={filter} />
      <QueryBoundary rows={8}>
        <JudgementList report={report} filter={search} />
      </QueryBoundary>
    </section>
  );
}

function JudgementList({ report, filter: { after, ...filter } }: Props) {
  const query = judgementsQuery(report.id, { ...filter, after });
  const { items, next_cursor: next } = useKeptQuery({ ...query, staleTime: 0 }).data;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      {items.length === 0 ? (
        <p className="muted">{isFiltered ? 'No judgements match.' : 'No judgements yet.'}</p>
      ) : (
        <JudgementRows items={items} baseline={report.baseline_eval_id} labelledBy="judgements" />
      )}
      <PageLinks
        of="judgements"
        after={after}
        next={next && Number(next)}
        words={['First', 'Next']}
        hash="judgements"
      />
    </>
  );
}

/** The judgements that people's labels contradict. */
function Disputed({ report: { id, baseline_eval_id: baseline } }: Pick<Props, 'report'>) {
  const { data } = useQuery({ ...judgementsQuery(id, { disputed: true }), staleTime: 0 });
  if (!data || data.items.length === 0) return null;
  return (
    <>
      <div className="actions">
        <h3 id="disputed">People disagree</h3>
        {data.next_cursor !== null && (
          <Link to="/judge/reports/$reportId" params={{ reportId: id }} search={{ disputed: true }} resetScroll={false}>
            All of these
          </Link>
        )}
      </div>
      <JudgementRows items={data.items} baseline={baseline} labelledBy="disputed" />
      <h3>All</h3>
    </>
  );
}

/** Of so few, the reasons are shown at once. */
const MAX_OPEN = 3;

interface RowsProps {
  items: readonly Judgement[];
  baseline: string | null;
  labelledBy: string;
}

const JudgementRows = ({ items, baseline, labelledBy }: RowsProps) => (
  <ol className={css.judgements} aria-labelledby={labelledBy}>
    {items.map((judgement) => (
      <li key={judgement.position}>
        <details open={items.length <= MAX_OPEN}>
          <summary>
            <JudgementSummary judgement={judgement} />
          </summary>
          <JudgementInFull judgement={judgement} baseline={baseline} />
        </details>
      </li>
    ))}
  </ol>
);

const JudgementSummary = ({ judgement }: { judgement: Judgement }) => (
  <>
    <JudgementMark word={wordOf(judgement)} />
    <strong>
      <UserLine text={judgement.case_name ?? 'Unnamed case'} />
    </strong>
    <span className="muted small">
      <ModelName target={judgement.target} />
    </span>
    <VerdictNote judgement={judgement} />
    {judgement.label && <span className="small">people: {judgement.label}</span>}
  </>
);

function JudgementInFull({ judgement, baseline }: { judgement: Judgement; baseline: string | null }) {
  const { eval_id: runId, result_id: resultId, other_result_id: otherId, case_name: name } = judgement;
  return (
    <div className={css.judgedInFull}>
      <UserLine text={judgement.prompt} />
      <JudgementReasons judgement={judgement} />
      <div className="small">
        <Link to="/runs/$runId/results/$resultId" params={{ runId, resultId }}>
          Result of <UserText text={name ?? 'the case'} max={200} />
        </Link>
        {otherId !== null && baseline !== null && (
          <>
            , compared with{' '}
            <Link to="/runs/$runId/results/$resultId" params={{ runId: baseline, resultId: otherId }}>
              the result of A
            </Link>
          </>
        )}
      </div>
    </div>
  );
}

/** Filters of the judgements. They are in the address, so that a shared link shows the same list. */
function Filters({ report, filter }: Props) {
  const navigate = useNavigate();
  const { id: reportId, baseline_eval_id: baseline } = report;
  const narrow = (change: Record<string, unknown>): void =>
    void navigate({
      to: '/judge/reports/$reportId',
      params: { reportId },
      search: reportSearch({ ...filter, ...change }),
      resetScroll: false,
    });
  const targets = [...new Set([...report.targets.map(({ target }) => target), ...report.pairs.map(({ b }) => b)])];
  const models = targets.map((target) => [target, visible(target.slice(0, 100))] as const);
  const choice = (key: keyof ReportSearch, label: string, choices: readonly (readonly [string, string])[]) => (
    <FilterChoice
      label={label}
      choices={choices}
      value={filter[key] as string | undefined}
      choose={(value) => narrow({ [key]: value })}
    />
  );
  const check = (key: 'disputed' | 'expectation_at_fault' | 'suspicious', label: string) => (
    <label className="check">
      <input
        type="checkbox"
        checked={filter[key] ?? false}
        onChange={({ target }) => narrow({ [key]: target.checked || undefined })}
      />
      {label}
    </label>
  );
  return (
    <div className="actions" role="search" aria-label="Filter of judgements">
      {choice('target', 'Model', models)}
      {baseline === null && choice('verdict', 'Judgement', Object.entries(OPINION_WORDS))}
      {baseline === null && choice('agreement', 'Agreement', Object.entries(AGREEMENT_WORDS))}
      {baseline !== null && choice('preference', 'Judgement', Object.entries(PREFERENCE_WORDS))}
      {choice('state', 'State', Object.entries(STATE_WORDS))}
      {baseline === null && check('disputed', 'People disagree')}
      {baseline === null && check('expectation_at_fault', 'Expectation at fault')}
      {check('suspicious', 'Suspicious')}
      {Object.keys(filter).length > 0 && (
        <Link to="/judge/reports/$reportId" params={{ reportId }} className="button" resetScroll={false}>
          All
        </Link>
      )}
    </div>
  );
}
