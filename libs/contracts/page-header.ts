/**
 * A header that marks a request as the page's own where the browser does not: browsers omit Sec-Fetch-Site without TLS,
 * and Origin on reads. Another origin cannot send it without a preflight.
 */
export const PAGE_HEADER = 'toolmark-page';

/** The id of the team that a tab of the page shows, for people who are in several. */
export const TEAM_HEADER = 'toolmark-team';
