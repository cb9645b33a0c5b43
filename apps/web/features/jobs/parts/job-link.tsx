import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Job } from '#lib/contracts/job';
import { ORCHESTRATIONS } from '#lib/contracts/values/jobs';

/** What a job of each type produces. */
export const jobTitle = (type: Job['type']): string =>
  type === 'tool_eval' ? 'Run' : type === 'rescore' ? 'Rescore' : ORCHESTRATIONS[type].title;

type Linked = Pick<Job, 'type' | 'result_ref' | 'subject_ref'>;

/** A link to what a job produces, if that has a page. */
export function JobLink({ job, children }: { job: Linked; children: ReactNode }) {
  const { type, result_ref: id, subject_ref: subject } = job;
  const runId = type === 'tool_eval' ? id : type === 'rescore' ? subject : null;
  if (runId !== null)
    return (
      <Link to="/runs/$runId" params={{ runId }}>
        {children}
      </Link>
    );
  if (id === null) return children;
  if (type === 'gate' && subject !== null)
    return (
      <Link to="/gates/$gateId/runs/$gateRunId" params={{ gateId: subject, gateRunId: id }}>
        {children}
      </Link>
    );
  if (type === 'param_tune')
    return (
      <Link to="/tunes/$tuneId" params={{ tuneId: id }}>
        {children}
      </Link>
    );
  if (type === 'prompt_tune')
    return (
      <Link to="/tunes/prompts/$tuneId" params={{ tuneId: id }}>
        {children}
      </Link>
    );
  if (type === 'judge')
    return (
      <Link to="/judge/reports/$reportId" params={{ reportId: id }}>
        {children}
      </Link>
    );
  return children;
}
