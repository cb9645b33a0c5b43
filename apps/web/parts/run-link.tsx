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

/** Whose verdicts a screen shows, as a part of its heading: those of a run, or of a rescore of it. */
export const RunInHeading = ({ run, rescore }: { run: Named & Pick<Run, 'id'>; rescore: string | undefined }) => (
  <>
    <Link to="/runs/$runId" params={{ runId: run.id }}>
      <Given text={run.name ?? run.suite.name} max={200} />
    </Link>
    {rescore !== undefined && ' as scored again'}
  </>
);

/** The way to a run, by its name once that is known. */
export function RunLink({ runId }: { runId: string }) {
  const { data: run } = useQuery({ ...runQuery(runId), retry: false });
  return (
    <Link to="/runs/$runId" params={{ runId }}>
      <Given text={run ? runName(run) : unknownRun(runId)} max={200} />
    </Link>
  );
}
