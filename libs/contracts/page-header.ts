/**
 * A header by which a page says that a request is its own, where the browser does not: browsers leave out
 * Sec-Fetch-Site without TLS, and Origin when they read. Another origin cannot send it without asking first.
 */
export const PAGE_HEADER = 'toolmark-page';
