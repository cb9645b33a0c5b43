import { searchOf, text } from '../../../address';

/** Only suites whose name contains this text are shown. */
export const suitesSearch = searchOf({ name: text(200) });
