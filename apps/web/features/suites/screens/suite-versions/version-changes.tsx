import type { SuiteChanges } from '#lib/contracts/suite-version';
import { ChangesTable } from '../../../../ui/changes-table';
import { UserText } from '../../../../ui/user-text';
import { ChangedCases } from './changed-cases';

/** Differences of two versions in settings, tools and cases. */
export function VersionChanges({ suiteId, changes }: { suiteId: string; changes: SuiteChanges }) {
  const { settings, tools, cases, from, to } = changes;
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
