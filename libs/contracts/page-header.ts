/**
 * A header that marks a request as the page's own where the browser does not: browsers omit Sec-Fetch-Site without TLS,
 * and Origin on reads. Another origin cannot send it without a preflight.
 */
export const PAGE_HEADER = 'toolmark-page';
