import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { runQuery } from '../api/runs';
import { Given } from './given';

const SHOWN = 8;

type Named = Pick<Run, 'name' | 'suite'>;

/** What people call a run; without a name, its suite. */
export const runName = ({ name, suite }: Named): string => name ?? `${suite.name}, version ${suite.version}`;

/** What stands for a run of which no more is known: the end of its id, which tells ids of one day apart. */
export const unknownRun = (runId: string): string => `run ${runId.slice(-SHOWN)}`;

/** The way to a run, by its name once that is known. */
export function RunLink({ runId }: { runId: string }) {
  const { data: run } = useQuery({ ...runQuery(runId), retry: false });
  return (
    <Link to="/runs/$runId" params={{ runId }}>
      <Given text={run ? runName(run) : unknownRun(runId)} max={200} />
    </Link>
  );
}
