import { Link } from '@tanstack/react-router';
import { differenceWords, argumentName } from '#lib/contracts/difference-words';
import type { FailureGroup } from '#lib/contracts/run-facets';
import type { ErrorType } from '#lib/contracts/verdict';
import { count } from '../../../ui/amounts';
import { LazyDetails } from '../../../ui/details';
import { Table, type Column } from '../../../ui/table';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { errorWord } from '../../results/address';
import css from './figures.module.css';
import { toolWords } from './tool-words';

/** Which failures are grouped: of one error type or of all; by the verdicts of a rescore, or the run's own. */
export interface GroupsSearch {
  type?: ErrorType;
  rescore?: string;
}

/** Maximum number of results drawn from a group. */
export const DRAWN = 40;

interface Props {
  runId: string;
  search?: GroupsSearch;
  groups: readonly FailureGroup[];
  /** The models of the run, to say which of them failed so. */
  targets?: readonly string[];
  /** The group that is open. */
  chosen?: string;
}

const SHOWN = 20;

/**
 * Failures grouped by cause: how many, what differs, and which models. The largest are shown; smaller ones, single
 * results and what providers failed at are folded.
 */
export function FailureGroupRows({ groups, ...props }: Props) {
  const isErrored = ({ error_type: type }: FailureGroup): boolean => type === 'errored';
  const isOne = ({ count: n }: FailureGroup): boolean => n === 1;
  const failed = groups.filter((group) => !isErrored(group));
  const several = failed.filter((group) => !isOne(group));
  const folds = [
    { label: 'Smaller groups', words: 'smaller groups', of: several.slice(SHOWN) },
    { label: 'Single results', words: 'single results', of: failed.filter(isOne) },
    { label: 'Errored results', words: 'groups of errored results', of: groups.filter(isErrored) },
  ].filter(({ of }) => of.length > 1);
  const folded = new Set(several.length > 0 ? folds.flatMap(({ of }) => of) : []);
  return (
    <>
      <GroupTable label="List of failure groups" groups={groups.filter((one) => !folded.has(one))} {...props} />
      {folded.size > 0 &&
        folds.map(({ label, words, of }) => (
          <LazyDetails key={label} className="fold" summary={`${count(of.length)} ${words}`}>
            {() => <GroupTable label={label} groups={of} {...props} />}
          </LazyDetails>
        ))}
    </>
  );
}

function GroupTable({ label, groups, chosen, ...props }: Props & { label: string }) {
  return (
    <Table
      label={label}
      className={css.groups}
      hasCards
      rows={groups}
      keyOf={({ id }) => id}
      rowProps={({ id }) => ({ 'aria-current': id === chosen ? 'true' : undefined })}
      columns={columnsOf(props)}
    />
  );
}

const columnsOf = ({ runId, search, targets }: Omit<Props, 'groups' | 'chosen'>): Column<FailureGroup>[] => [
  { name: 'Results', isNumber: true, onPhone: 'line', cell: (group) => count(group.count) },
  { name: 'Error', isHeading: true, onPhone: 'line', cell: (group) => errorWord(group.error_type) },
  {
    name: 'What differs',
    className: css.differs,
    onPhone: 'title',
    cell: (group) => <UserLine text={groupWords(group)} />,
  },
  ...(targets && targets.length > 1
    ? [{ name: 'Models', cell: (group: FailureGroup) => <Models group={group} targets={targets} /> }]
    : []),
  {
    name: 'Open',
    isNameHidden: true,
    cell: (group) => <Open {...{ runId, search, group }} />,
  },
];

/** Its only result, or a sample of its results. */
function Open({ runId, search, group }: Pick<Props, 'runId' | 'search'> & { group: FailureGroup }) {
  const { id, count: n, example, error_type: type } = group;
  if (n === 1)
    return (
      <Link
        to="/runs/$runId/results/$resultId"
        params={{ runId, resultId: example }}
        search={{ type: [type], rescore: search?.rescore }}
      >
        Open
      </Link>
    );
  return (
    <Link
      to="/runs/$runId/failures"
      params={{ runId }}
      search={{ ...search, group: id, seed: 1 }}
      aria-label={n > DRAWN ? `Open ${DRAWN} of ${count(n)} at random` : `Open all ${n}`}
    >
      Open
    </Link>
  );
}

/** `search_email, folder: "inbox", not "sent"`; `search_files → create_event`; `bad request`. */
export function groupWords(group: FailureGroup): string {
  const { error_type: type, argument, difference, count: n } = group;
  const [expected, called] = [toolWords(group.expected_tool), toolWords(group.called_tool)];
  if (type === 'errored') return `${expected}, ${called.replaceAll('_', ' ')}`;
  if (argument === null) return expected === called ? expected : `${expected} → ${called}`;
  const tool = expected === called ? expected : `${expected} → ${called}`;
  if (!difference) return `${tool}, ${argumentName(argument)}`;
  return `${tool}, ${n > 1 ? 'such as ' : ''}${differenceWords(difference)}`;
}

const MAX_MODELS = 4;

function Models({ group, targets }: { group: FailureGroup; targets: readonly string[] }) {
  const models = targets
    .map((target, ordinal) => ({ target, n: group.by_target[ordinal] ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((one, other) => other.n - one.n);
  return (
    <span className={css.models}>
      {models.slice(0, MAX_MODELS).map(({ target, n }) => (
        <span key={target} className={css.model}>
          <ModelName target={target} />
          {models.length > 1 && <span className="muted small">{count(n)}</span>}
        </span>
      ))}
      {models.length > MAX_MODELS && <span className="muted small">and {count(models.length - MAX_MODELS)} more</span>}
    </span>
  );
}
