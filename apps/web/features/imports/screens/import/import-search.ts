import { oneOf, searchOf } from '../../../../address';

/** The source of the suite; default: a file. */
export const importSearch = searchOf({ from: oneOf(['example', 'mcp']) });
