import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ResultsSearch } from '../../../results/address';

interface ResultsLinkProps {
  runId: string;
  search?: ResultsSearch;
  className?: string;
  /** For screen readers, where the content alone says too little. */
  label?: string;
  children: ReactNode;
}

/** A link to the results behind a figure. */
export function ResultsLink({ runId, search = {}, className, label, children }: ResultsLinkProps) {
  return (
    <Link to="/runs/$runId/results" params={{ runId }} search={search} className={className} aria-label={label}>
      {children}
    </Link>
  );
}
