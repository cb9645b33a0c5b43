import { Link } from '@tanstack/react-router';
import { UserText } from '../../../ui/user-text';

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
