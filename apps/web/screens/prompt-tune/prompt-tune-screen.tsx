import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { memo } from 'react';
import { statusOf } from '../../api/client';
import { promptTuneQuery } from '../../api/prompt-tunes';
import { LivePromptTune, type LivePromptTuneState } from '../../live/live-prompt-tune';
import { useLive } from '../../live/use-live';
import { useRefreshed } from '../../live/use-refreshed';
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

const Head = memo(PromptTuneHead);

/** The best texts for each model's tool calls, their origin, and whether they can be trusted. */
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
          <p>Shown as of {new Date(tune.dataUpdatedAt).toLocaleTimeString()}.</p>
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
      {best.score !== null && `, with ${percent(best.score)} on the selection cases`}.
    </p>
  );
}
