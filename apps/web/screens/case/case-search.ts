import { oneOf, searchOf } from '../../address/search';

/** Whether the case is shown as JSON instead of fields. */
export const caseSearch = searchOf({ as: oneOf(['json']) });
