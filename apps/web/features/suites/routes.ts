import { flag, searchOf, text, wholeNumber } from '../../address';
import { screen } from '../../screen';
import { casesQuery } from '../cases/api';
import { caseLabelsQuery, changesQuery, suiteQuery, suitesQuery, trendQuery, versionQuery, versionsQuery } from './api';
import { comparedVersions } from './parts/compared-versions';

/** Only suites whose name contains this text are shown. */
const suitesSearch = searchOf({ name: text(200) });
/** Only cases that contain the text, have the labels, and failed in the last run are shown. */
const suiteSearch = searchOf({ text: text(200), tag: text(100), category: text(200), failed: flag });
/** Only this model, and only these cases: `category:Calendar`, `tool:get_weather`. */
const trendSearch = searchOf({ model: text(400), part: text(300, /^(category|tool):./su) });
const missing = { what: 'suite', list: '/suites', all: 'All suites' };
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
    loads: ({ params: { suiteId }, search }) => [
      suiteQuery(suiteId),
      casesQuery(suiteId, search),
      caseLabelsQuery(suiteId),
    ],
    missing,
  }),
  screen('/suites/$suiteId/trend', () => import('./screens/suite-trend'), 'SuiteTrendScreen', {
    search: trendSearch,
    loads: ({ params: { suiteId }, search }) => [suiteQuery(suiteId), trendQuery(suiteId, search)],
    missing,
  }),
  screen('/suites/$suiteId/tools', () => import('./screens/suite-tools'), 'SuiteToolsScreen', {
    loads: ({ params: { suiteId } }) => [suiteQuery(suiteId)],
    missing,
  }),
  screen('/suites/$suiteId/settings', () => import('./screens/suite-settings'), 'SuiteSettingsScreen', {
    loads: ({ params: { suiteId } }) => [suiteQuery(suiteId)],
    missing,
  }),
  screen('/suites/$suiteId/versions', () => import('./screens/suite-versions'), 'SuiteVersionsScreen', {
    loads: ({ params: { suiteId } }) => [suiteQuery(suiteId), versionsQuery(suiteId)],
    missing,
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
