import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { statusOf } from '../api/client';
import { meQuery } from '../api/session';
import { NotFoundScreen } from '../screens/not-found/not-found-screen';
import { backSearch } from '../screens/sign-in/back';
import { SignInScreen } from '../screens/sign-in/sign-in-screen';
import { Shell } from '../shell';

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ notFoundComponent: NotFoundScreen });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: backSearch,
  component: SignInScreen,
});

/** Everything that needs a session. Without one it leads to the sign-in screen, which leads back. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
      throw redirect({ to: '/sign-in', search: { back: location.href } });
    }
  },
});
