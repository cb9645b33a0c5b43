import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { screen } from '../../screen';
import { root } from '../../signed-in';
import { deviceSearch, signedInSearch, signInSearch, windowSearch } from './address';
import { waysQuery } from './ways';

/** Buttons of providers are there from the beginning. Without an answer, there is still the field for a token. */
const loadWays = () => queryClient.ensureQueryData(waysQuery).catch(() => {});

/** Screens that need no session. */
export const sessionRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: signInSearch,
    loader: loadWays,
    component: lazyRouteComponent(() => import('./screens/sign-in-screen'), 'SignInScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in/window',
    validateSearch: windowSearch,
    component: lazyRouteComponent(() => import('./screens/sign-in-window'), 'SignInWindow'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in/done',
    validateSearch: signedInSearch,
    component: lazyRouteComponent(() => import('./screens/signed-in-screen'), 'SignedInScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/join',
    loader: loadWays,
    component: lazyRouteComponent(() => import('./screens/join-screen'), 'JoinScreen'),
  }),
] as const;

/** What a command line asks for is approved by whoever is signed in. */
export const deviceRoutes = [
  screen('/device', () => import('./screens/device-screen'), 'DeviceScreen', { search: deviceSearch }),
] as const;
