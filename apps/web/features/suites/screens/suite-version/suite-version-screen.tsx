import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import { Head } from '../../../../ui/head';
import { ErrorNotice } from '../../../../ui/notices';
import { MoreButton } from '../../../../ui/buttons';
import { QueryBoundary, Skeleton } from '../../../../ui/query-boundary';
import { Time } from '../../../../ui/time';
import { UserText } from '../../../../ui/user-text';
import { versionQuery, versionsQuery } from '../../api';
import { comparedVersions } from '../../parts/compared-versions';
import { PinnedSettings } from './pinned-settings';
import css from './suite-version.module.css';
import { VersionChanges } from './version-changes';

const FROM = { from: '/signed-in/suites/$suiteId/versions/$version' } as const;

/** An earlier version of a suite, and the changes since. */
export function SuiteVersionScreen() {
  const { suiteId, version } = useParams(FROM);
  // Without suspense: the API says which versions are stored, and the way back to the suite stands below.
  const { data: shown, error, refetch } = useQuery(versionQuery(suiteId, version));
  if (!shown && error) return <MissingVersion {...{ suiteId, version, error }} retry={refetch} />;
  return (
    <>
      {shown ? <VersionHead suite={shown} /> : <Skeleton rows={2} />}
      <QueryBoundary rows={8}>
        <Versions {...{ suiteId, version, shown }} />
      </QueryBoundary>
      {shown && <PinnedSettings suite={shown} />}
    </>
  );
}

interface VersionsProps {
  suiteId: string;
  version: string;
  /** Undefined while it is fetched. */
  shown: SuiteVersion | undefined;
}

/** The list of versions, which stays while another one is fetched, and the changes of the one that is shown. */
function Versions({ suiteId, version, shown }: VersionsProps) {
  const versions = useSuspenseInfiniteQuery(versionsQuery(suiteId));
  const heads = versions.data.pages.flatMap(({ items }) => items);
  return (
    <div className={css.versions}>
      <section aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        <p className="muted small">Versions pinned by runs, and the current one.</p>
        <ol className={css.versionList}>
          {heads.map((head) => (
            <VersionLink key={head.version} suiteId={suiteId} head={head} isShown={head.version === Number(version)} />
          ))}
        </ol>
        <MoreButton of={versions} isDense>
          Older versions
        </MoreButton>
      </section>
      {shown && (
        <section aria-labelledby="changes">
          <Changes shown={shown} heads={heads} />
        </section>
      )}
    </div>
  );
}

interface MissingProps {
  suiteId: string;
  version: string;
  error: Error;
  retry: () => unknown;
}

const MissingVersion = ({ suiteId, version, error, retry }: MissingProps) => (
  <>
    <h1>
      Version <UserText text={version} max={20} />
    </h1>
    <ErrorNotice error={error} retry={retry}>
      <p>
        <Link to="/suites/$suiteId" params={{ suiteId }}>
          To the suite
        </Link>
      </p>
    </ErrorNotice>
  </>
);

function VersionHead({ suite }: { suite: SuiteVersion }) {
  const { suite_id: suiteId, name, version, pinned_at: pinnedAt, runs, is_current } = suite;
  const params = { suiteId };
  return (
    <Head
      title={`${name}, version ${version}`}
      trail={[
        { to: '/suites', label: 'Suites' },
        { to: '/suites/$suiteId', params, label: name },
        { to: '/suites/$suiteId/versions', params, label: 'Versions' },
      ]}
      status={
        <>
          {is_current && <span>The current version.</span>}
          {pinnedAt === null ? (
            <span>No run has pinned it yet.</span>
          ) : (
            <span>
              Pinned by a run <Time at={pinnedAt} />; {runs.toLocaleString('en')} {runs === 1 ? 'run' : 'runs'} in the
              history.
            </span>
          )}
          <Link to="/suites/$suiteId" params={params}>
            {is_current ? 'Edit the suite' : 'To the current version'}
          </Link>
        </>
      }
    />
  );
}

function VersionLink({ suiteId, head, isShown }: { suiteId: string; head: SuiteVersionHead; isShown: boolean }) {
  const { version, pinned_at: pinnedAt, runs, is_current } = head;
  return (
    <li>
      <Link
        to="/suites/$suiteId/versions/$version"
        params={{ suiteId, version: String(version) }}
        aria-current={isShown ? 'page' : undefined}
      >
        Version {version}
      </Link>
      <span className="muted small">
        {is_current && 'current, '}
        {runs} {runs === 1 ? 'run' : 'runs'}
        {pinnedAt !== null && (
          <>
            , <Time at={pinnedAt} />
          </>
        )}
      </span>
    </li>
  );
}

function Changes({ shown, heads }: { shown: SuiteVersion; heads: SuiteVersionHead[] }) {
  const { with: asked } = useSearch(FROM);
  const compared = comparedVersions(shown.version, asked, heads);
  const other = compared && (compared.from === shown.version ? compared.to : compared.from);
  return (
    <>
      <div className="head">
        <h2 id="changes">{compared ? `Changes from version ${compared.from} to ${compared.to}` : 'Changes'}</h2>
        {heads.length > 1 && (
          <CompareWith other={other} heads={heads.filter(({ version }) => version !== shown.version)} />
        )}
      </div>
      {compared ? (
        <QueryBoundary rows={8}>
          <VersionChanges suiteId={shown.suite_id} {...compared} />
        </QueryBoundary>
      ) : (
        <p className="muted">No run has pinned another version: there is nothing to compare with.</p>
      )}
    </>
  );
}

function CompareWith({ other, heads }: { other: number | undefined; heads: SuiteVersionHead[] }) {
  const navigate = useNavigate({ from: '/suites/$suiteId/versions/$version' });
  return (
    <label>
      Compare with{' '}
      <select
        value={other ?? ''}
        onChange={({ target }) => void navigate({ search: { with: Number(target.value) }, replace: true })}
      >
        {other === undefined && <option value="">choose</option>}
        {heads.map(({ version, is_current }) => (
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
  );
}
