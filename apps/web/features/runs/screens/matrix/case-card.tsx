import { useQuery } from '@tanstack/react-query';
import { differenceWords } from '#lib/contracts/difference-words';
import type { Result } from '#lib/contracts/result';
import { useDebounced } from '../../../../ui/debounced';
import { cellWords, type CellCounts } from '../../../../ui/figures/cells';
import { percent } from '../../../../ui/amounts';
import { UserLine, UserText } from '../../../../ui/user-text';
import { ModelName } from '../../../providers/parts/model-name';
import { errorWord } from '../../../results/filter-words';
import { cellResultsQuery } from '../../api';
import css from './matrix.module.css';

/** A pointer passes cells that nobody asks about. */
const SETTLED_MS = 150;

export interface AskedCell {
  runId: string;
  caseId: string;
  target: string | undefined;
  rescore: string | undefined;
}

/** The first results of a cell, once the pointer or the focus rests on it. */
function useResults({ runId, caseId, target, rescore }: AskedCell): Result[] | undefined {
  const cell = `${caseId} ${target}`;
  const isSettled = useDebounced(cell, SETTLED_MS) === cell;
  const { data } = useQuery({ ...cellResultsQuery(runId, caseId, target, rescore), enabled: isSettled });
  return data?.items;
}

const MAX_NAMES = 4;

/** `folder: "inbox", not "sent"`, `timeout: no answer in 30 s`, or the calls of a right reply. */
function resultWords({ difference, error, error_type: type, called }: Result): string {
  if (difference) return differenceWords(difference);
  if (error) return `${error.kind.replaceAll('_', ' ')}: ${error.message}`;
  if (type !== 'none') return errorWord(type);
  return `called ${
    called
      .slice(0, MAX_NAMES)
      .map(({ name }) => name)
      .join(', ') || 'nothing'
  }`;
}

interface CardProps {
  name: string;
  target: string | undefined;
  counts: CellCounts | undefined;
  /** Undefined for a sum, which has no results of its own. */
  asked: AskedCell | undefined;
}

/** What is known of a cell: its case and model, how many samples passed, and what they called. */
export function CaseCard({ name, target, counts, asked }: CardProps) {
  const share = counts && counts.scored > 1 ? ` (${percent(counts.passed / counts.scored)})` : '';
  return (
    <div className={css.card}>
      <strong>
        <UserLine text={name} />
      </strong>
      {target !== undefined && <ModelName target={target} />}
      {counts && (
        <span>
          {cellWords(counts)}
          {share}
        </span>
      )}
      {asked && target !== undefined && <Results asked={asked} />}
    </div>
  );
}

function Results({ asked }: { asked: AskedCell }) {
  const results = useResults(asked);
  if (!results) return <span className={css.waits} />;
  return results.map((result) => (
    <span key={result.id} className="muted">
      <UserText text={resultWords(result)} max={200} />
    </span>
  ));
}

/** The same for screen readers, which have heard the case and the model. */
export function CaseWords({ asked }: { asked: AskedCell }) {
  const results = useResults(asked);
  return <>{results?.map(resultWords).join('; ').slice(0, 500)}</>;
}
