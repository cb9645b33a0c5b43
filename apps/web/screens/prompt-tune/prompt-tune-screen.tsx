import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { memo, useEffect, useRef } from 'react';
import { statusOf } from '../../api/client';
import { POLL_MS, refreshWork } from '../../api/jobs';
import { promptTuneQuery } from '../../api/prompt-tunes';
import { LivePromptTune, type LivePromptTuneState } from '../../live/live-prompt-tune';
import { useLive } from '../../live/use-live';
import { Failed } from '../../parts/failed';
import { NoTune } from '../../parts/no-tune';
import { count, percent } from '../../parts/score';
import { Skeleton } from '../../parts/skeleton';
import { isUnderWay } from '../../parts/status';
import { TuneProgress } from '../../parts/tune-progress';
import { Found } from './found';
import { Front } from './front';
import { Lineage } from './lineage';
import { PromptTuneHead } from './prompt-tune-head';
import './prompt-tune.css';

/** Generations may come many a second: what they brought is asked for this often at most. */
const REFRESH_MS = 1000;

const Head = memo(PromptTuneHead);

/** Which texts let the models call tools best, where they came from, and whether that can be trusted. */
export function PromptTuneScreen() {
  const { tuneId } = useParams({ from: '/signed-in/tunes/prompts/$tuneId' });
  const tune = useQuery({ ...promptTuneQuery(tuneId), refetchOnMount: 'always' });
  const jobId = tune.data && isUnderWay(tune.data.status) ? tune.data.job_id : undefined;
  const live = useLive(LivePromptTune, jobId);
  useRefreshed(tuneId, live);
  if (tune.isPending) return <Skeleton rows={12} />;
  if (!tune.data && statusOf(tune.error) === 404) return <NoTune />;
  if (!tune.data) return <Failed error={tune.error!} retry={() => tune.refetch()} />;
  return (
    <>
      <Head tune={tune.data} />
      {tune.isError && (
        <Failed error={tune.error} retry={() => tune.refetch()}>
          <p>What is shown is as of {new Date(tune.dataUpdatedAt).toLocaleTimeString()}.</p>
        </Failed>
      )}
      {live && isUnderWay(tune.data.status) && (
        <TuneProgress tune={tune.data} live={live}>
          <Newest live={live} />
        </TuneProgress>
      )}
      <Found tune={tune.data} />
      <Front tuneId={tuneId} />
      <Lineage tuneId={tuneId} />
    </>
  );
}

function Newest({ live: { newest } }: { live: LivePromptTuneState }) {
  if (!newest) return null;
  const { iteration, accepted, rejected, front, best } = newest;
  return (
    <p>
      Iteration {count(iteration)}: {count(accepted.length)} accepted, {count(rejected.length)} rejected;{' '}
      {count(front.length)} on the front. The best so far is candidate {best.id}
      {best.score !== null && `, with ${percent(best.score)} on the cases that choose`}.
    </p>
  );
}

/** Reads a tune and its candidates again when something came in of it, or nothing can. */
function useRefreshed(tuneId: string, live: LivePromptTuneState | undefined): void {
  const { changes = 0, received = 0 } = live ?? {};
  const isBehind = live !== undefined && (live.connection !== 'live' || live.isTruncated || live.hasEnded);
  useEffect(() => {
    if (changes > 0) void refreshWork(tuneId);
  }, [changes, tuneId]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (received === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refreshWork(tuneId);
    }, REFRESH_MS);
  }, [received, tuneId]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isBehind) return;
    const poll = setInterval(() => void refreshWork(tuneId), POLL_MS);
    return () => clearInterval(poll);
  }, [isBehind, tuneId]);
}
