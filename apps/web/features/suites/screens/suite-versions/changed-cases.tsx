import { useQuery } from '@tanstack/react-query';
import type { Case } from '#lib/contracts/case';
import type { ChangedCase, SuiteChanges } from '#lib/contracts/suite-version';
import { caseOfVersionQuery } from '../../api/suite-versions';
import { ChangesTable } from '../../../../ui/changes-table';
import { ErrorNotice } from '../../../../ui/error-notice';
import { LazyDetails } from '../../../../ui/folded';
import { UserBlock, UserLine } from '../../../../ui/user-text';
import { Skeleton } from '../../../../ui/skeleton';

/** The cases that differ; each shows its differences when it is opened. */
export function ChangedCases({ suiteId, changes: { cases, from, to } }: { suiteId: string; changes: SuiteChanges }) {
  const all = cases.added + cases.removed + cases.changed;
  if (all === 0) return null;
  return (
    <>
      <h3>Cases</h3>
      <ul className="changed-cases">
        {cases.items.map((item) => (
          <li key={item.case_id}>
            <ChangedCaseFold item={item} suiteId={suiteId} from={from} to={to} />
          </li>
        ))}
      </ul>
      {all > cases.items.length && (
        <p className="muted">
          The first {cases.items.length} of {all.toLocaleString('en')} are listed. Export both versions to see the
          others.
        </p>
      )}
    </>
  );
}

interface Folded {
  item: ChangedCase;
  suiteId: string;
  from: number;
  to: number;
}

function ChangedCaseFold({ item, ...versions }: Folded) {
  const summary = (
    <span className="changed-case">
      <span className={`kind kind-${item.kind}`}>{item.kind}</span>
      <UserLine text={item.name ?? item.prompt ?? 'Unnamed conversation'} />
      {item.kind === 'changed' && <span className="muted small">{item.fields.join(', ') || 'reordered'}</span>}
    </span>
  );
  const Cases = item.kind === 'changed' ? BothVersions : OneVersion;
  return <LazyDetails summary={summary}>{() => <Cases item={item} {...versions} />}</LazyDetails>;
}

function OneVersion({ item, suiteId, from, to }: Folded) {
  const read = useQuery(caseOfVersionQuery(suiteId, item.kind === 'added' ? to : from, item.case_id));
  if (read.isError) return <ErrorNotice error={read.error} retry={read.refetch} />;
  if (!read.data) return <Skeleton rows={4} />;
  return <UserBlock code text={JSON.stringify(inputOf(read.data), null, 2)} />;
}

function BothVersions({ item, suiteId, from, to }: Folded) {
  const before = useQuery(caseOfVersionQuery(suiteId, from, item.case_id));
  const after = useQuery(caseOfVersionQuery(suiteId, to, item.case_id));
  const failed = [before, after].find(({ isError }) => isError);
  if (failed?.error) return <ErrorNotice error={failed.error} retry={failed.refetch} />;
  if (!before.data || !after.data) return <Skeleton rows={4} />;
  const [a, b] = [before.data, after.data] as Record<string, unknown>[];
  const rows = item.fields.map((field) => ({ path: field, a: a![field], b: b![field] }));
  return (
    <ChangesTable
      label={`Changes in the case ${item.case_id}`}
      rows={rows}
      what="Field"
      a={`Version ${from}`}
      b={`Version ${to}`}
    />
  );
}

/** A case without the fields that the suite added. */
const inputOf = ({ id: _id, position: _position, ...input }: Case): object => input;
