import { oneOf, searchOf } from '../../address/search';

/** The source of the suite; default: a file. */
export const importSearch = searchOf({ from: oneOf(['example', 'mcp']) });
