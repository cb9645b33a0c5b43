import type { Page } from '#lib/contracts/page';
import type { SuiteHead } from '#lib/contracts/suite';
import { readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

/** The suites to choose from, without their tools; the first 200. */
export const suiteHeadsQuery = readQuery<Page<SuiteHead>>(
  [...keys.suites, 'heads'],
  '/api/tool-suites?lean=true&limit=200',
);
