import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import type { TrailStep } from '../../../ui/head';
import { UserText } from '../../../ui/user-text';
import type { ResultsSearch } from '../../results/address';
import { runQuery } from '../api';

const SHOWN = 8;

type Named = Pick<Run, 'name' | 'suite'>;

/** Display name of a run; without a name, its suite. */
export const runName = ({ name, suite }: Named): string => name ?? `${suite.name}, version ${suite.version}`;

/** The label of an unknown run: the end of its id, which distinguishes ids of the same day. */
export const shortRunName = (runId: string): string => `run ${runId.slice(-SHOWN)}`;

/** Whose verdicts a screen shows, as part of its title: those of a run, or of a rescore of it. */
export const runInTitle = ({ name, suite }: Named, rescore: string | undefined): string =>
  `${name ?? suite.name}${rescore === undefined ? '' : ' (rescored)'}`;

/** The way to a screen about a run. */
export const trailOfRun = (run: Named & Pick<Run, 'id'>): TrailStep[] => [
  { to: '/runs', label: 'Runs' },
  { to: '/runs/$runId', params: { runId: run.id }, label: runName(run) },
];

/** A link to a run, by its name once that is known. */
export function RunLink({ runId }: { runId: string }) {
  const { data: run } = useQuery({ ...runQuery(runId), retry: false });
  return (
    <Link to="/runs/$runId" params={{ runId }}>
      <UserText text={run ? runName(run) : shortRunName(runId)} max={200} />
    </Link>
  );
}

interface ResultsLinkProps {
  runId: string;
  search?: ResultsSearch;
  className?: string;
  /** For screen readers, where the content alone says too little. */
  label?: string;
  /** Whether it is in a grid, whose keys and clicks lead there, too. */
  isInGrid?: boolean;
  children: ReactNode;
}

const stopPropagation = (event: MouseEvent): void => event.stopPropagation();

/** A link to the results behind a figure. */
export const ResultsLink = ({ runId, search = {}, className, label, isInGrid, children }: ResultsLinkProps) => (
  <Link
    to="/runs/$runId/results"
    params={{ runId }}
    search={search}
    className={className}
    aria-label={label}
    {...(isInGrid && { tabIndex: -1, onClick: stopPropagation })}
  >
    {children}
  </Link>
);
