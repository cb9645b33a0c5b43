/** Of one API process. Each takes about 20 KB, and a page has two. */
export const MOST_CONNECTIONS = 5000;
