import { keys } from './keys';
import { queryClient } from './query-client';

/** Polling interval where no live events announce changes. */
export const POLL_MS = 5000;

/** Refreshes jobs, runs, tunes, reports, experiments and gates after one changed. @param id of the one that did */
export async function refreshWork(id?: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.jobs }),
    queryClient.invalidateQueries({ queryKey: keys.runLists }),
    queryClient.invalidateQueries({ queryKey: keys.tuneLists }),
    queryClient.invalidateQueries({ queryKey: keys.reportLists }),
    queryClient.invalidateQueries({ queryKey: keys.experiments }),
    queryClient.invalidateQueries({ queryKey: keys.gates }),
    id === undefined ? undefined : queryClient.invalidateQueries({ queryKey: keys.run(id) }),
    id === undefined ? undefined : queryClient.invalidateQueries({ queryKey: keys.tune(id) }),
    id === undefined ? undefined : queryClient.invalidateQueries({ queryKey: keys.report(id) }),
  ]);
}
