import { Link } from '@tanstack/react-router';
import { UserLine, UserText } from '../../../ui/user-text';

/** The name of a suite, or that it was deleted. */
export const SuiteName = ({ name }: { name: string | null }) =>
  name === null ? <span className="muted">deleted</span> : <UserLine text={name} />;

/** The suite of something, as one of its facts. */
export const SuiteFact = ({ suiteId, name }: { suiteId: string; name: string | null }) => (
  <span>
    Suite{' '}
    {name === null ? (
      'deleted'
    ) : (
      <Link to="/suites/$suiteId" params={{ suiteId }}>
        <UserText text={name} max={200} />
      </Link>
    )}
  </span>
);
