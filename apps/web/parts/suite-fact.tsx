import { Link } from '@tanstack/react-router';
import { Given } from './given';

/** The suite of something, as one of its facts. */
export const SuiteFact = ({ suiteId, name }: { suiteId: string; name: string | null }) => (
  <span>
    Suite{' '}
    {name === null ? (
      'deleted'
    ) : (
      <Link to="/suites/$suiteId" params={{ suiteId }}>
        <Given text={name} max={200} />
      </Link>
    )}
  </span>
);
