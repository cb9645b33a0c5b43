import { Link, useLocation } from '@tanstack/react-router';
import { UserText } from '../../../ui/user-text';
import { nearestAddress } from './nearest-address';

/** An unknown address: its likely target, and other places to go. */
export function NotFoundScreen() {
  const { pathname } = useLocation();
  const meant = nearestAddress(pathname);
  return (
    <main className="content">
      <h1>Page not found</h1>
      <p>
        <code>
          <UserText text={pathname} max={300} />
        </code>{' '}
        is not a page of Toolmark.
        {meant && (
          <>
            {' '}
            Did you mean <Link to={meant}>{meant}</Link>?
          </>
        )}
      </p>
      <ul>
        <li>
          <Link to="/">Overview</Link>
        </li>
      </ul>
    </main>
  );
}
