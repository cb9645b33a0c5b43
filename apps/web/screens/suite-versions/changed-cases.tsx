import { useQuery } from '@tanstack/react-query';
import type { Case } from '#lib/contracts/case';
import type { ChangedCase, SuiteChanges } from '#lib/contracts/suite-version';
import { caseOfVersionQuery } from '../../api/suite-versions';
import { ChangesTable } from '../../parts/changes-table';
import { Failed } from '../../parts/failed';
import { LazyDetails } from '../../parts/fold';
import { GivenBlock, GivenLine } from '../../parts/given';
import { Skeleton } from '../../parts/skeleton';

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
            <Fold item={item} suiteId={suiteId} from={from} to={to} />
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

function Fold({ item, ...versions }: Folded) {
  const summary = (
    <span className="changed-case">
      <span className={`kind kind-${item.kind}`}>{item.kind}</span>
      <GivenLine text={item.name ?? item.prompt ?? 'Unnamed conversation'} />
      {item.kind === 'changed' && <span className="muted small">{item.fields.join(', ') || 'reordered'}</span>}
    </span>
  );
  const Cases = item.kind === 'changed' ? Both : One;
  return <LazyDetails summary={summary}>{() => <Cases item={item} {...versions} />}</LazyDetails>;
}

function One({ item, suiteId, from, to }: Folded) {
  const read = useQuery(caseOfVersionQuery(suiteId, item.kind === 'added' ? to : from, item.case_id));
  if (read.isError) return <Failed error={read.error} retry={read.refetch} />;
  if (!read.data) return <Skeleton rows={4} />;
  return <GivenBlock code text={JSON.stringify(writtenBy(read.data), null, 2)} />;
}

function Both({ item, suiteId, from, to }: Folded) {
  const before = useQuery(caseOfVersionQuery(suiteId, from, item.case_id));
  const after = useQuery(caseOfVersionQuery(suiteId, to, item.case_id));
  const failed = [before, after].find(({ isError }) => isError);
  if (failed?.error) return <Failed error={failed.error} retry={failed.refetch} />;
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
const writtenBy = ({ id: _id, position: _position, ...input }: Case): object => input;
