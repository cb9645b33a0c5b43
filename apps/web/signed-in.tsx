import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { statusOf } from './api/client';
import { meQuery } from './api/session';
import { Shell } from './shell';

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({});

/**
 * Everything that needs a session. Without one it leads to the sign-in screen, which leads back. The user is loaded
 * while the screen's code and data are: a loader, not `beforeLoad`, which the others would wait for.
 */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  loader: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
      throw redirect({ to: '/sign-in', search: { back: location.href } });
    }
  },
});
