import type { AnyRouter } from '@tanstack/react-router';
import { queryClient } from './api/query-client';
import { forgetSession, resumeSession } from './api/session';
import { onSessionNews } from './api/session-news';
import { tab } from './api/tab';
import { dropOffers } from './ui/undo';

/** Tabs share one session: they leave it together, and go on together after somebody has signed in again. */
export function followSession(router: AnyRouter): void {
  onSessionNews((news) => {
    const { pathname, search } = router.state.location;
    const isSigningIn = pathname === '/sign-in';
    if (news === 'signed in') {
      if (!isSigningIn) return void resumeSession().catch(() => {});
      forgetSession();
      return router.history.replace((search as { back?: string }).back ?? '/');
    }
    if (!tab.owner()) return;
    dropOffers();
    forgetSession();
    void router.navigate({ to: '/sign-in' });
  });
  let resumed = tab.resumptions();
  tab.subscribe(() => {
    // What waits was asked for by somebody else.
    if (tab.state() === 'foreign') dropOffers();
    if (tab.resumptions() === resumed) return;
    resumed = tab.resumptions();
    void queryClient.invalidateQueries();
    // Only screens that failed load again: others keep their forms.
    void router.invalidate({ filter: ({ status }) => status === 'error' });
  });
}
