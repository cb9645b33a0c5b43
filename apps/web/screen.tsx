import type { QueryClient, QueryKey } from '@tanstack/react-query';
import {
  createRoute,
  lazyRouteComponent,
  notFound,
  redirect,
  type AnyRoute,
  type RouteComponent,
} from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { statusOf } from './api/client';
import { signedIn } from './signed-in';
import { Missing, type MissingWords } from './ui/empty';

const InOtherTeam = lazy(async () => ({
  default: (await import('./features/session/parts/in-other-team')).InOtherTeam,
}));

/** A query of either kind, as `queryOptions` and `infiniteQueryOptions` return them. */
export interface ScreenQuery {
  queryKey: QueryKey;
  initialPageParam?: unknown;
}

type Names<Path> = Path extends `${string}$${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}$${infer Name}`
    ? Name
    : never;
type Validator = (given: Record<string, unknown>) => object;
interface At<Path, Search extends Validator> {
  params: Record<Names<Path>, string>;
  search: ReturnType<Search>;
}

interface Options<Path, Search extends Validator> {
  /** Reads the address's query string. */
  search?: Search;
  /**
   * The queries of the screen at an address. They are fetched together with its code. The screen waits for the first,
   * or for none if that is undefined; parts wait for the others where they show them, in a `QueryBoundary`. A change of
   * the query string alone does not run them again: then components fetch what they read, and keep what they show
   * (`useKeptQuery`).
   */
  loads?: (at: At<Path, Search>) => (ScreenQuery | undefined)[];
  /** Fetches what the screen shows, where its queries are not in the first view. It does not throw. */
  before?: (at: At<Path, Search>) => Promise<unknown>;
  /** What the address names, if the first query does not find it. */
  missing?: MissingWords;
  /** Whether it is shown although the first query failed, and says so itself. */
  showsErrors?: boolean;
}

/** A screen of the signed-in page. Its code and its data are fetched together when it is opened. */
export const screen = <const Path extends string, Name extends string, Search extends Validator = Validator>(
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
  options: Options<Path, Search> = {},
) => childScreen<typeof signedIn, Path, Name, Search, Path>(signedIn, path, load, name, options);

/** A screen inside another one, whose names it knows. @param Path below the address of the outer one */
export const childScreen = <
  Parent extends AnyRoute,
  const Path extends string,
  Name extends string,
  Search extends Validator = Validator,
  Whole extends string = `${Parent['fullPath']}${Path}`,
>(
  parent: Parent,
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
  { search, loads, before, missing, showsErrors }: Options<Whole, Search> = {},
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name),
    validateSearch: search as Search,
    notFoundComponent: missing && (() => <MissingHere {...missing} />),
    loader: async ({ context, params, location, preload }) => {
      // Pointing at a link costs the server nothing: it has the code loaded, and opening it the data.
      if (preload) return;
      const at = {
        params: params as At<Whole, Search>['params'],
        search: (search?.(location.search) ?? {}) as ReturnType<Search>,
      };
      await before?.(at);
      if (!loads) return;
      const { queryClient } = context as { queryClient: QueryClient };
      const [first, ...others] = loads(at);
      for (const query of others) if (query) void fetchOf(queryClient, query).catch(() => {});
      if (!first) return;
      await fetchOf(queryClient, first).catch((error: unknown) => {
        if (showsErrors) return;
        throw missing && statusOf(error) === 404 ? notFound() : error;
      });
    },
  });

/** A link may be of another team of the user. */
const MissingHere = (words: MissingWords) => (
  <>
    <Missing {...words} />
    <Suspense>
      <InOtherTeam />
    </Suspense>
  </>
);

const fetchOf = (queryClient: QueryClient, query: ScreenQuery): Promise<unknown> =>
  'initialPageParam' in query
    ? queryClient.ensureInfiniteQueryData(query as InfiniteQuery)
    : queryClient.ensureQueryData(query as PlainQuery);
type PlainQuery = Parameters<QueryClient['ensureQueryData']>[0];
type InfiniteQuery = Parameters<QueryClient['ensureInfiniteQueryData']>[0];

/** An address that leads to the first of its screens. */
export const leading = <const Path extends string>(
  path: Path,
  to: '/operate/lanes' | '/settings/account' | '/settings/limits',
) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    beforeLoad: () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to go elsewhere
      throw redirect({ to });
    },
  });
