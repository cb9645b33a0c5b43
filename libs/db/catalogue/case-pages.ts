/**
 * Limits of a page of cases, whatever the size of the suite: this many cases, and only cases that begin within this
 * many bytes.
 */
export const CASE_PAGE = { cases: 500, bytes: 2 ** 20 };

/** Position in a paged read of a suite's cases. */
export interface CasePlace {
  id: string;
  position: number;
}
export const BEFORE_FIRST: CasePlace = { position: -1, id: '00000000-0000-0000-0000-000000000000' };

/**
 * SQL of the first page of the cases that match `condition`. Postgres knows the length of a stored text without reading
 * it, so it reads only the texts of the page.
 */
export const firstPage = (condition: string, size = CASE_PAGE): string => `
  SELECT c.id, c.position, c.body FROM (
    SELECT id, sum(bytes) OVER (ORDER BY position, id) - bytes AS before FROM (
      SELECT id, position, octet_length(body) AS bytes FROM suite_case WHERE ${condition}
      ORDER BY position, id LIMIT ${size.cases}
    ) found
  ) fitting JOIN suite_case c ON c.id = fitting.id WHERE fitting.before < ${size.bytes}`;

/**
 * SQL: whether the case with this `body` is not a draft and so takes part in runs. The first test is cheap and decides
 * for almost every case.
 */
export const NOT_DRAFT = `(strpos(body, '"draft":true') = 0 OR body::json ->> 'draft' IS DISTINCT FROM 'true')`;
