import { searchOf, text } from '../../address/search';

/** Only cases that hold this text are shown. */
export const suiteSearch = searchOf({ text: text(200) });
