import { firstPage } from './case-pages.js';

/** Limits of one request's search, whatever the size of the suite. */
const SEARCHED = { cases: 10_000, bytes: 16 * 2 ** 20 };

/** The texts of a list in the case `c`; `text` is the SQL that reads one from an `entry`. */
const texts = (list: string, text: string): string =>
  `(SELECT string_agg(${text}, chr(10)) FROM json_array_elements(
    CASE json_typeof(c.${list}) WHEN 'array' THEN c.${list} END) entry)`;

/** The texts of a case that a case list shows. */
const SEEN = `concat_ws(chr(10), c.name, c.prompt, c.expected_tool, c.category, ${texts('tags', "entry #>> '{}'")},
  ${texts('expected_calls', "entry ->> 'tool'")}, ${texts('messages', "entry ->> 'content'")})`;

/**
 * SQL of the cases that match `condition` and contain a text in their visible fields, within the limits of one request.
 * There is always a row: `last` is the position of the last case examined, null when there was none. A case whose JSON
 * does not contain the text is not parsed.
 * @param text placeholders of the text and of its JSON-encoded form
 */
export const searchCases = (condition: string, text: { plain: string; json: string }, limit: string): string => `
  WITH looked AS (${firstPage(condition, SEARCHED)})
  SELECT (SELECT max(position) FROM looked) AS last, found.* FROM (VALUES (1)) AS always LEFT JOIN (
    SELECT looked.* FROM looked, json_to_record(body::json) AS c(
      name text, prompt text, expected_tool text, category text, tags json, expected_calls json, messages json)
    WHERE strpos(lower(body), lower(${text.json})) > 0 AND strpos(lower(${SEEN}), lower(${text.plain})) > 0
    ORDER BY position LIMIT ${limit}
  ) found ON true ORDER BY found.position`;
