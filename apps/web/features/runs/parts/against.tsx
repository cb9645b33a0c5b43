import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { Mark } from '../../../ui/status';
import { againstDetail, againstWords, type AgainstLook } from './against-words';

const SHAPES: Record<AgainstLook, string> = { passed: '●', failed: '○', waiting: '?', plain: '=' };

interface Props {
  of: Pick<Run, 'id'> & Partial<Pick<Run, 'against'>>;
  /** Also says in words what it is compared with, and the worst model. */
  isLong?: boolean;
}

/** What a run changed, as a link to the comparison that shows it; nothing while that is not known. */
export function Against({ of: { id, against }, isLong = false }: Props) {
  if (!against) return null;
  const [words, look] = againstWords(against);
  const detail = againstDetail(against);
  return (
    <Link to="/compare" search={{ runs: [against.run.id, id] }} title={`${words}, ${detail}. ${against.text}`}>
      <Mark shape={SHAPES[look]} look={look === 'plain' ? 'waiting' : look}>
        {words}
      </Mark>
      {isLong && ` ${detail}`}
    </Link>
  );
}
