import { Link } from '@tanstack/react-router';
import type { SuiteVersionHead } from '#lib/contracts/suite-version';
import { Time } from '../../../../ui/time';

interface Versions {
  suiteId: string;
  shown: number;
  versions: SuiteVersionHead[];
}

export function VersionList({ suiteId, shown, versions }: Versions) {
  return (
    <ol className="version-list">
      {versions.map(({ version, pinned_at: pinnedAt, runs, is_current }) => (
        <li key={version}>
          <Link
            to="/suites/$suiteId/versions/$version"
            params={{ suiteId, version: String(version) }}
            aria-current={version === shown ? 'page' : undefined}
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
      ))}
    </ol>
  );
}
