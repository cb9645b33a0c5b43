import type { Job } from '#lib/contracts/job';
import { useAction } from '../../../api/action';
import { refreshWork } from '../../../api/query-client';
import { undo } from '../../../ui/undo';
import { visible } from '../../../ui/user-text';
import { cancelJob, resumeJob } from '../api';
import { jobTitle } from './job-link';

/** Cancels a job, and offers to resume it for a while. A rescore cannot be resumed. */
export function useCancel() {
  const refresh = (id: string | null): Promise<void> => refreshWork(id ?? undefined);
  const resume = useAction(resumeJob);
  return useAction(cancelJob, async (job: Job) => {
    const name = visible((job.name ?? job.suite_name ?? jobTitle(job.type)).slice(0, 80));
    if (job.type !== 'rescore')
      undo.offer({
        text: `Cancelled ${name}.`,
        undo: async () => {
          await resume.mutateAsync(job.id);
          await refresh(job.result_ref);
        },
      });
    await refresh(job.result_ref);
  });
}
