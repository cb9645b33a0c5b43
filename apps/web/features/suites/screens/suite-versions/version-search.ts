import { searchOf, wholeNumber } from '../../../../address';

/** The version to compare with; default: the current one, or for that one its predecessor. */
export const versionSearch = searchOf({ with: wholeNumber(1) });
