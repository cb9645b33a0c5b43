import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Suite } from '#lib/contracts/suite';
import type { SuiteVersionHead } from '#lib/contracts/suite-version';
import { newIdempotencyKey, useAction, type Sent } from '../../../api/action';
import { client } from '../../../api/client';
import { useRefusal } from '../../../api/session';
import { MoreButton } from '../../../ui/buttons';
import { Chip } from '../../../ui/chip';
import { ConfirmDialog } from '../../../ui/dialog';
import { Menu, MenuItem } from '../../../ui/menu';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { undo } from '../../../ui/undo';
import { changesQuery, refreshSuites, versionsQuery } from '../api';
import { changesInWords } from '../parts/version-changes';
import { SuiteFrame } from './suite-frame';

/** The versions of a suite: what changed, and who ran them. */
export function SuiteVersionsScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/versions' });
  return (
    <SuiteFrame suiteId={suiteId}>
      {(suite) => (
        <QueryBoundary rows={8}>
          <Versions key={suiteId} suite={suite} />
        </QueryBoundary>
      )}
    </SuiteFrame>
  );
}

/** Versions of larger suites, and older versions, are compared when somebody asks. */
const COMPARED_CASES = 2_000;
const COMPARED_VERSIONS = 20;

function Versions({ suite }: { suite: Suite }) {
  const { id: suiteId, version: current } = suite;
  const versions = useSuspenseInfiniteQuery(versionsQuery(suiteId));
  const heads = versions.data.pages.flatMap(({ items }) => items);
  const [restored, setRestored] = useState<SuiteVersionHead>();
  const refusal = useRefusal('editor');
  const isSmall = suite.test_cases_count <= COMPARED_CASES;
  return (
    <section className="section" aria-label="Versions">
      <Table
        label="Versions of the suite"
        hasCards
        rows={heads}
        keyOf={({ version }) => version}
        columns={[
          { name: 'Version', cell: (head) => <VersionLink suiteId={suiteId} head={head} /> },
          {
            name: 'Changed',
            cell: ({ version }, index) => {
              const before = heads[index + 1];
              const isAsked = isSmall && index < COMPARED_VERSIONS;
              return before && <ChangeLine {...{ suiteId, isAsked }} from={before.version} to={version} />;
            },
          },
          { name: 'Runs', isNumber: true, cell: ({ runs }) => runs.toLocaleString('en') },
          { name: 'First run', cell: ({ pinned_at: at }) => at !== null && <Time at={at} /> },
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (head) =>
              !head.is_current && (
                <Menu label={`Actions of version ${head.version}`}>
                  <MenuItem refusal={refusal} onSelect={() => setRestored(head)}>
                    Restore
                  </MenuItem>
                </Menu>
              ),
          },
        ]}
      />
      <MoreButton of={versions}>Older versions</MoreButton>
      {restored && (
        <Restore
          suiteId={suiteId}
          version={restored.version}
          current={current}
          isKept={heads.some(({ version, runs }) => version === current && runs > 0)}
          close={() => setRestored(undefined)}
        />
      )}
    </section>
  );
}

const VersionLink = ({ suiteId, head }: { suiteId: string; head: SuiteVersionHead }) => (
  <span className="actions">
    <Link to="/suites/$suiteId/versions/$version" params={{ suiteId, version: String(head.version) }}>
      Version {head.version}
    </Link>
    {head.is_current && <Chip>current</Chip>}
  </span>
);

interface ChangeProps {
  suiteId: string;
  from: number;
  to: number;
  /** Whether it is compared at once. */
  isAsked: boolean;
}

function ChangeLine({ suiteId, from, to, isAsked: isAskedFirst }: ChangeProps) {
  const [isAsked, setAsked] = useState(isAskedFirst);
  const { data, isError } = useQuery({ ...changesQuery(suiteId, from, to), enabled: isAsked });
  if (data) return changesInWords(data);
  if (isError) return <span className="muted">not compared</span>;
  if (isAsked) return null;
  return (
    <button type="button" className="plain dense" onClick={() => setAsked(true)}>
      Compare
    </button>
  );
}

const restoreVersion = (suiteId: string, version: number, options: Sent): Promise<Suite> =>
  client.call('POST', `/api/tool-suites/${encodeURIComponent(suiteId)}/versions/${version}/restore`, '{}', options);

interface RestoreProps {
  suiteId: string;
  version: number;
  current: number;
  /** Whether a run keeps the current version. */
  isKept: boolean;
  close: () => void;
}

function Restore({ suiteId, version, current, isKept, close }: RestoreProps) {
  const restoring = useAction(
    (wanted: number, sent) => restoreVersion(suiteId, wanted, sent),
    async () => {
      close();
      await refreshSuites();
      if (isKept)
        undo.offer({
          text: `Version ${version} restored.`,
          undo: async () => {
            await restoreVersion(suiteId, current, { idempotencyKey: newIdempotencyKey() });
            await refreshSuites();
          },
        });
    },
  );
  return (
    <ConfirmDialog
      title={`Restore version ${version}?`}
      action="Restore"
      isPending={restoring.isPending}
      error={restoring.error}
      act={() => restoring.mutate(version)}
      close={close}
    >
      <p>
        Its tools, system prompt, pass threshold and cases become version {current + 1}.
        {!isKept && ` No run has version ${current}: it is lost.`}
      </p>
    </ConfirmDialog>
  );
}
