import { Link } from '@tanstack/react-router';
import type { PromptVersionHead } from '#lib/contracts/prompt-version';
import { count, percent } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import { Against } from '../../runs/parts/against';

type Used = PromptVersionHead['used'];

/** The score of the newest run of a version, and what it changed. */
export function PromptScore({ used: { newest } }: { used: Used }) {
  if (!newest) return <span className="muted">not measured</span>;
  return (
    <>
      <Link to="/runs/$runId" params={{ runId: newest.run.id }}>
        {percent(newest.score)}
      </Link>{' '}
      <Against of={{ id: newest.run.id, against: newest.against }} />
    </>
  );
}

const runsOf = (runs: number): string => `${count(runs)} ${runs === 1 ? 'run' : 'runs'}`;

/** "91.2 % in Nightly 8, +4.0 points, better against Nightly 7. Used by 3 runs." */
export function PromptResult({ used }: { used: Used }) {
  const { runs, newest } = used;
  if (runs === 0) return <p className="muted">No run has used it yet.</p>;
  return (
    <p className="sentence">
      {newest && (
        <>
          <strong>{percent(newest.score)}</strong> in{' '}
          <Link to="/runs/$runId" params={{ runId: newest.run.id }}>
            <UserText text={newest.run.name ?? 'its newest run'} max={100} />
          </Link>
          {newest.n_models > 1 && `, over ${count(newest.n_models)} models`}{' '}
          <Against of={{ id: newest.run.id, against: newest.against }} isLong />{' '}
        </>
      )}
      <span className="small muted">Used by {runsOf(runs)}.</span>
    </p>
  );
}
