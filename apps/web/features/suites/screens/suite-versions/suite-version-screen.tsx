import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import { changesQuery, versionQuery, versionsQuery } from '../../api/suite-versions';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { Skeleton } from '../../../../ui/skeleton';
import { Time } from '../../../../ui/time';
import { MoreButton } from '../../../../ui/more-button';
import { comparedVersions } from './compared-versions';
import { PinnedSettings } from './pinned-settings';
import { VersionChanges } from './version-changes';
import { VersionList } from './version-list';
import './suite-versions.css';

const route = getRouteApi('/signed-in/suites/$suiteId/versions/$version');

/** An earlier version of a suite, and the changes since. */
export function SuiteVersionScreen() {
  const { suiteId, version } = route.useParams();
  const shown = useQuery(versionQuery(suiteId, version));
  const versions = useInfiniteQuery(versionsQuery(suiteId));
  if (shown.isError)
    return (
      <>
        <h1>
          Version <UserText text={version} max={20} />
        </h1>
        <ErrorNotice error={shown.error} retry={shown.refetch}>
          <p>
            <Link to="/suites/$suiteId" params={{ suiteId }}>
              To the suite
            </Link>
          </p>
        </ErrorNotice>
      </>
    );
  const heads = versions.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {shown.data ? <Head suite={shown.data} /> : <Skeleton rows={2} />}
      <div className="versions">
        <section aria-labelledby="versions">
          <h2 id="versions">Versions</h2>
          <p className="muted small">Versions pinned by runs, and the current one.</p>
          {versions.isError && <ErrorNotice error={versions.error} retry={versions.refetch} />}
          {versions.isPending && <Skeleton rows={4} />}
          <VersionList suiteId={suiteId} shown={Number(version)} versions={heads} />
          <MoreButton of={versions} isDense>
            Older versions
          </MoreButton>
        </section>
        <section aria-labelledby="changes">
          {shown.data && versions.data && <Changes shown={shown.data} heads={heads} />}
        </section>
      </div>
      {shown.data && <PinnedSettings suite={shown.data} />}
    </>
  );
}

function Head({
  suite: { suite_id: suiteId, name, version, pinned_at: pinnedAt, runs, is_current },
}: {
  suite: SuiteVersion;
}) {
  return (
    <header>
      <h1>
        <UserText text={name} max={200} /> <span className="muted">version {version}</span>
      </h1>
      <p>
        {is_current ? 'The current version. ' : ''}
        {pinnedAt === null ? (
          'No run has pinned it yet.'
        ) : (
          <>
            Pinned by a run <Time at={pinnedAt} />; {runs} {runs === 1 ? 'run' : 'runs'} in the history.
          </>
        )}{' '}
        <Link to="/suites/$suiteId" params={{ suiteId }}>
          {is_current ? 'Edit the suite' : 'To the current version'}
        </Link>
      </p>
    </header>
  );
}

function Changes({ shown, heads }: { shown: SuiteVersion; heads: SuiteVersionHead[] }) {
  const { with: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const compared = comparedVersions(shown.version, asked, heads);
  const other = compared && (compared.from === shown.version ? compared.to : compared.from);
  return (
    <>
      <div className="head">
        <h2 id="changes">{compared ? `Changes from version ${compared.from} to ${compared.to}` : 'Changes'}</h2>
        {heads.length > 1 && (
          <label>
            Compare with{' '}
            <select
              value={other ?? ''}
              onChange={({ target }) => void navigate({ search: { with: Number(target.value) }, replace: true })}
            >
              {other === undefined && <option value="">choose</option>}
              {heads
                .filter(({ version }) => version !== shown.version)
                .map(({ version, is_current }) => (
                  <option key={version} value={version}>
                    version {version}
                    {is_current ? ', current' : ''}
                  </option>
                ))}
              {other !== undefined && !heads.some(({ version }) => version === other) && (
                <option value={other}>version {other}</option>
              )}
            </select>
          </label>
        )}
      </div>
      {compared ? (
        <ComparedChanges suiteId={shown.suite_id} {...compared} />
      ) : (
        <p className="muted">No run has pinned another version: there is nothing to compare with.</p>
      )}
    </>
  );
}

function ComparedChanges({ suiteId, from, to }: { suiteId: string; from: number; to: number }) {
  const changes = useQuery(changesQuery(suiteId, from, to));
  if (changes.isError) return <ErrorNotice error={changes.error} retry={changes.refetch} />;
  if (!changes.data) return <Skeleton rows={8} />;
  return <VersionChanges suiteId={suiteId} changes={changes.data} />;
}
