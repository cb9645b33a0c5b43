import { searchOf, text, wholeNumber } from '../../address';
import { screen } from '../../screen';
import { casesQuery } from '../cases/api';
import { changesQuery, suiteQuery, suitesQuery, versionQuery, versionsQuery } from './api';
import { comparedVersions } from './parts/compared-versions';

/** Only suites whose name contains this text are shown. */
const suitesSearch = searchOf({ name: text(200) });
/** Only cases that contain this text are shown. */
const suiteSearch = searchOf({ text: text(200) });
/** The version to compare with; default: the current one, or for that one its predecessor. */
const versionSearch = searchOf({ with: wholeNumber(1) });

export const suitesRoutes = [
  screen('/suites', () => import('./screens/suites-screen'), 'SuitesScreen', {
    search: suitesSearch,
    loads: ({ search: { name = '' } }) => [suitesQuery(name)],
    showsErrors: true,
  }),
  screen('/suites/new', () => import('./screens/new-suite-screen'), 'NewSuiteScreen'),
  screen('/suites/$suiteId', () => import('./screens/suite-screen'), 'SuiteScreen', {
    search: suiteSearch,
    loads: ({ params: { suiteId }, search: { text: searched } }) => [
      suiteQuery(suiteId),
      casesQuery(suiteId, searched ?? ''),
    ],
    missing: { what: 'suite', list: '/suites', all: 'All suites' },
  }),
  screen(
    '/suites/$suiteId/versions/$version',
    () => import('./screens/suite-version/suite-version-screen'),
    'SuiteVersionScreen',
    {
      search: versionSearch,
      loads: ({ params: { suiteId, version }, search }) => {
        const compared = search.with === undefined ? undefined : comparedVersions(Number(version), search.with, []);
        return [
          versionsQuery(suiteId),
          versionQuery(suiteId, version),
          ...(compared ? [changesQuery(suiteId, compared.from, compared.to)] : []),
        ];
      },
      showsErrors: true,
    },
  ),
] as const;
