import { oneOf, searchOf } from '../../address/search';

/** Where the suite comes from; a file when it does not say. */
export const importSearch = searchOf({ from: oneOf(['example', 'mcp']) });
