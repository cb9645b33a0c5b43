import { Link, linkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Job } from '#lib/contracts/job';
import { MAX_POSITION, ORCHESTRATIONS } from '#lib/contracts/values/jobs';
import { count } from '../../../ui/amounts';

/** What a job of each type produces. */
export const jobTitle = (type: Job['type']): string =>
  type === 'tool_eval' ? 'Run' : type === 'rescore' ? 'Rescore' : ORCHESTRATIONS[type].title;

type Linked = Pick<Job, 'type' | 'result_ref' | 'subject_ref'>;

/** The run that a job produces or rescores. */
export const runOf = ({ type, result_ref: id, subject_ref: subject }: Linked): string | null =>
  type === 'tool_eval' ? id : type === 'rescore' ? subject : null;

/** A link to what a job produces, if that has a page. */
export function JobLink({ job, children }: { job: Linked; children: ReactNode }) {
  const place = placeOf(job);
  return place ? <Link {...place}>{children}</Link> : children;
}

function placeOf(job: Linked) {
  const { type, result_ref: id, subject_ref: subject } = job;
  const runId = runOf(job);
  if (runId !== null) return linkOptions({ to: '/runs/$runId', params: { runId } });
  if (id === null) return undefined;
  if (type === 'gate' && subject !== null)
    return linkOptions({ to: '/gates/$gateId/runs/$gateRunId', params: { gateId: subject, gateRunId: id } });
  if (type === 'param_tune') return linkOptions({ to: '/tunes/$tuneId', params: { tuneId: id } });
  if (type === 'prompt_tune') return linkOptions({ to: '/tunes/prompts/$tuneId', params: { tuneId: id } });
  if (type === 'judge') return linkOptions({ to: '/judge/reports/$reportId', params: { reportId: id } });
  return undefined;
}

/** What a job in its user's queue is waiting for: "next in the queue of Ada". */
export function placeInWords(position: number, user: string | null): string {
  const queue = user === null ? 'the queue of its user' : `the queue of ${user.slice(0, 100)}`;
  if (position === 1) return `next in ${queue}`;
  const before = count(position - 1);
  return `${before}${position >= MAX_POSITION ? ' or more' : ''} ahead in ${queue}`;
}
