import { Link } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty';

export const TuneNotFound = () => (
  <Empty
    action={
      <Link to="/tunes" className="button">
        All tunes
      </Link>
    }
  >
    There is no such tune in your team. It may have been deleted.
  </Empty>
);
