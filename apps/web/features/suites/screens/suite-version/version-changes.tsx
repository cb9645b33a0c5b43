import { useSuspenseQueries, useSuspenseQuery } from '@tanstack/react-query';
import type { Case } from '#lib/contracts/case';
import type { ChangedCase, SuiteChanges } from '#lib/contracts/suite-version';
import { ChangesTable } from '../../../../ui/changes-table';
import { LazyDetails } from '../../../../ui/details';
import { QueryBoundary } from '../../../../ui/query-boundary';
import { UserBlock, UserLine, UserText } from '../../../../ui/user-text';
import { caseOfVersionQuery, changesQuery } from '../../api';
import css from './suite-version.module.css';

interface Versions {
  suiteId: string;
  from: number;
  to: number;
}

/** Differences of two versions in settings, tools and cases. */
export function VersionChanges({ suiteId, from, to }: Versions) {
  const { data: changes } = useSuspenseQuery(changesQuery(suiteId, from, to));
  const { settings, tools, cases } = changes;
  const isSame =
    settings.length + tools.added.length + tools.removed.length + tools.changed.length === 0 &&
    cases.added + cases.removed + cases.changed === 0;
  if (isSame) return <p>No changes: settings, tools and cases are the same in both.</p>;
  return (
    <>
      <p role="status">{summaryOf(changes)}</p>
      <ToolNames words="New tools" names={tools.added} />
      <ToolNames words="Removed tools" names={tools.removed} />
      <ToolNames words="Changed tools" names={tools.changed} />
      {settings.length > 0 && (
        <ChangesTable
          label="Changed settings"
          rows={settings}
          what="Setting"
          a={`Version ${from}`}
          b={`Version ${to}`}
        />
      )}
      <ChangedCases suiteId={suiteId} changes={changes} />
    </>
  );
}

/** "Cases: 2 added, 1 removed. Tools: 1 changed." */
function summaryOf({ cases, tools }: SuiteChanges): string {
  const counted = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
      .join(', ') || 'none changed';
  const { added, removed, changed } = cases;
  const ofTools = { added: tools.added.length, removed: tools.removed.length, changed: tools.changed.length };
  return `Cases: ${counted({ added, removed, changed })}. Tools: ${counted(ofTools)}.`;
}

const MAX_NAMES = 200;

function ToolNames({ words, names }: { words: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <p>
      {words}:{' '}
      {names.slice(0, MAX_NAMES).map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>
            <UserText text={name} max={100} />
          </code>
        </span>
      ))}
    </p>
  );
}

/** The cases that differ; each shows its differences when it is opened. */
function ChangedCases({ suiteId, changes: { cases, from, to } }: { suiteId: string; changes: SuiteChanges }) {
  const all = cases.added + cases.removed + cases.changed;
  if (all === 0) return null;
  return (
    <>
      <h3>Cases</h3>
      <ul className={css.unfolding}>
        {cases.items.map((item) => (
          <li key={item.case_id}>
            <LazyDetails summary={<CaseSummary item={item} />}>
              {() => (
                <QueryBoundary rows={4}>
                  <Difference {...{ item, suiteId, from, to }} />
                </QueryBoundary>
              )}
            </LazyDetails>
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

const LOOKS = { added: css.added, removed: css.removed, changed: '' };

const CaseSummary = ({ item: { kind, name, prompt, fields } }: { item: ChangedCase }) => (
  <span className={css.summary}>
    <span className={`${css.kind} ${LOOKS[kind]}`}>{kind}</span>
    <UserLine text={name ?? prompt ?? 'Unnamed conversation'} />
    {kind === 'changed' && <span className="muted small">{fields.join(', ') || 'reordered'}</span>}
  </span>
);

/** A case in the versions that have it. */
function Difference({ item, suiteId, from, to }: Versions & { item: ChangedCase }) {
  const versions = { added: [to], removed: [from], changed: [from, to] }[item.kind];
  const [first, second] = useSuspenseQueries({
    queries: versions.map((version) => caseOfVersionQuery(suiteId, version, item.case_id)),
  });
  if (!second) return <UserBlock code text={JSON.stringify(inputOf(first!.data), null, 2)} />;
  const [a, b] = [first!.data, second.data] as Record<string, unknown>[];
  return (
    <ChangesTable
      label={`Changes in the case ${item.case_id}`}
      rows={item.fields.map((field) => ({ path: field, a: a![field], b: b![field] }))}
      what="Field"
      a={`Version ${from}`}
      b={`Version ${to}`}
    />
  );
}

/** A case without the fields that the suite added. */
const inputOf = ({ id: _id, position: _position, ...input }: Case): object => input;
