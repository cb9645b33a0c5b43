import { searchOf, wholeNumber } from '../../address/search';

/** The version that is compared with; the present one, or the one before the present one, when it does not say. */
export const versionSearch = searchOf({ with: wholeNumber(1) });
