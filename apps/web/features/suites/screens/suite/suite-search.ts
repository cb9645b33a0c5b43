import { searchOf, text } from '../../../../address';

/** Only cases that contain this text are shown. */
export const suiteSearch = searchOf({ text: text(200) });
