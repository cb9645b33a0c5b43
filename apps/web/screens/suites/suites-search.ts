import { searchOf, text } from '../../address/search';

/** Only suites whose name contains this text are shown. */
export const suitesSearch = searchOf({ name: text(200) });
