import { useEffect, useRef, useState } from 'react';
import type { JobStatus } from '#lib/contracts/job-status';
import type { LiveState } from '../../../live/live-job';
import { WayOut } from '../../../ui/problem-words';
import { UserText } from '../../../ui/user-text';

/** What a job is waiting for, in words. */
export function WaitingNotice({ status, detail }: { status: JobStatus; detail: string | null }) {
  if (detail !== null)
    return (
      <p className="notice">
        <UserText text={detail} /> {status === 'pending' && <WayOut code="jobs_limit" />}
      </p>
    );
  if (status === 'pending') return <p className="notice">Waiting: its user has reached the limit of running jobs.</p>;
  if (status === 'queued') return <p className="notice">Waiting for a worker.</p>;
  return null;
}

/** A notice if the events are incomplete. */
export function ConnectionNotice({ live: { connection, isTruncated } }: { live: LiveState }) {
  if (connection === 'lost' || connection === 'refused')
    return (
      <p className="notice" role="status">
        No live connection. Figures refresh every 5 seconds.
      </p>
    );
  if (isTruncated)
    return (
      <p className="notice" role="status">
        Too many events to send. Figures refresh every 5 seconds; the lists are complete.
      </p>
    );
  return null;
}

const ANNOUNCED_EVERY_MS = 10_000;

/** Announces the latest text to screen readers, at most once in ten seconds. */
export function LiveAnnouncement({ text }: { text: string }) {
  const newest = useRef(text);
  const [said, setSaid] = useState('');
  useEffect(() => {
    newest.current = text;
  });
  useEffect(() => {
    const timer = setInterval(() => setSaid(newest.current), ANNOUNCED_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="unseen" role="status">
      {said}
    </span>
  );
}
