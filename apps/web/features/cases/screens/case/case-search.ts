import { oneOf, searchOf } from '../../../../address';

/** Whether the case is shown as JSON instead of fields. */
export const caseSearch = searchOf({ as: oneOf(['json']) });
