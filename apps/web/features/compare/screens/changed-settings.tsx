import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Comparison } from '#lib/contracts/comparison';
import type { SuiteChanges } from '#lib/contracts/suite-version';
import { ChangesTable } from '../../../ui/changes-table';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { changesQuery } from '../../suites/api';

/** What was tried: the settings that differ, and the changes of the suite in between. */
export function ChangedSettings({ comparison: { what_changed: changes, a, b } }: { comparison: Comparison }) {
  const isOneSuite = a.suite.id === b.suite.id;
  return (
    <section aria-labelledby="changed" className="section">
      <h2 id="changed">What differs</h2>
      {changes.length === 0 ? (
        <p>No settings differ. The difference comes from chance, the models or the cache.</p>
      ) : (
        <ChangesTable
          label="Settings that differ"
          rows={changes}
          what="Setting"
          a="A, the baseline"
          b="The other run"
        />
      )}
      {isOneSuite && a.suite.version === b.suite.version && (
        <p className="muted">Both: version {a.suite.version} of the suite.</p>
      )}
      {isOneSuite && a.suite.version !== b.suite.version && (
        <>
          <h3>
            Suite changes from version {a.suite.version} to {b.suite.version}
          </h3>
          <QueryBoundary rows={3}>
            <SuiteChangeSummary suiteId={a.suite.id} from={a.suite.version} to={b.suite.version} />
          </QueryBoundary>
          <p>
            <Link
              to="/suites/$suiteId/versions/$version"
              params={{ suiteId: a.suite.id, version: String(a.suite.version) }}
              search={{ with: b.suite.version }}
            >
              All changes between these versions
            </Link>
          </p>
        </>
      )}
    </section>
  );
}

function SuiteChangeSummary({ suiteId, from, to }: { suiteId: string; from: number; to: number }) {
  const { data: changes } = useSuspenseQuery(changesQuery(suiteId, from, to));
  return (
    <>
      <p>{summaryOf(changes)}</p>
      {changes.settings.length > 0 && (
        <ChangesTable
          label="Suite settings that differ"
          rows={changes.settings}
          what="Suite setting"
          a={`Version ${from}`}
          b={`Version ${to}`}
        />
      )}
    </>
  );
}

/** "Cases: 2 added, 1 changed. Tools: none changed." */
function summaryOf({ cases, tools }: SuiteChanges): string {
  const changed = (counts: [number, string][]): string =>
    counts
      .filter(([n]) => n > 0)
      .map(([n, what]) => `${count(n)} ${what}`)
      .join(', ') || 'none changed';
  const ofCases = changed([
    [cases.added, 'added'],
    [cases.removed, 'removed'],
    [cases.changed, 'changed'],
  ]);
  const ofTools = changed([
    [tools.added.length, 'added'],
    [tools.removed.length, 'removed'],
    [tools.changed.length, 'changed'],
  ]);
  return `Cases: ${ofCases}. Tools: ${ofTools}.`;
}
