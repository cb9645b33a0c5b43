import { Link, useNavigate } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import {
  AGREEMENT_WORDS,
  OPINION_WORDS,
  PREFERENCE_WORDS,
  reportSearch,
  STATE_WORDS,
  type ReportSearch,
} from '../../address';
import { FilterChoice } from '../../../../ui/filter-choice';
import { visible } from '../../../../ui/user-text';

interface Props {
  report: JudgeReport;
  filter: ReportSearch;
}

/** Filters of the judgements. They are in the address, so that a shared link shows the same list. */
export function JudgementFilters({ report, filter }: Props) {
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
  const models = Object.fromEntries(targets.map((target) => [target, visible(target.slice(0, 100))]));
  const choices: [key: keyof ReportSearch, label: string, words: Record<string, string>][] =
    baseline === null
      ? [
          ['verdict', 'Judgement', OPINION_WORDS],
          ['agreement', 'Agreement', AGREEMENT_WORDS],
        ]
      : [['preference', 'Judgement', PREFERENCE_WORDS]];
  const check = (key: 'expectation_at_fault' | 'suspicious', label: string) => (
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
      {[['target', 'Model', models] as const, ...choices, ['state', 'State', STATE_WORDS] as const].map(
        ([key, label, words]) => (
          <FilterChoice
            key={key}
            label={label}
            choices={Object.entries(words)}
            value={filter[key] as string | undefined}
            choose={(value) => narrow({ [key]: value })}
          />
        ),
      )}
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
