import { TOOL_LABELS } from '#lib/contracts/values/verdicts';
import { readableJson } from './case-measurements.js';

const json = readableJson('c.body');
/**
 * SQL of the tool that a case `c` expects, or expects first: its name, a JSON array of acceptable ones, or null, or
 * "(any)" for a conversation whose goal does not say what is called. An argument may be called "conversation", too.
 */
export const EXPECTED_TOOL = `CASE
  WHEN strpos(c.body, '"conversation":{') > 0 AND ${json} #> '{conversation,goal}' IS NOT NULL THEN coalesce(
    ${json} #>> '{conversation,goal,calls,0,tool}',
    CASE WHEN ${json} #> '{conversation,goal,calls}' IS NULL THEN '${TOOL_LABELS.any}' END)
  WHEN strpos(c.body, '"expected_calls"') = 0 THEN ${json} ->> 'expected_tool'
  ELSE coalesce(${json} #>> '{expected_calls,0,tool}', ${json} ->> 'expected_tool') END`;

/**
 * SQL of an array: the names of the tools that a case `c` accepts, and all of them as one label; or "(none)". OFFSET
 * keeps Postgres from parsing the JSON once for each mention of the tool.
 */
export const EXPECTED_LABELS = `(SELECT CASE
    WHEN tool IS NULL OR tool = '[]' THEN ARRAY['${TOOL_LABELS.none}']
    WHEN tool LIKE '["%' THEN ARRAY(SELECT json_array_elements_text(tool::json))
      || ARRAY(SELECT string_agg(name, ' or ') FROM json_array_elements_text(tool::json) name)
    ELSE ARRAY[tool] END
  FROM (SELECT ${EXPECTED_TOOL} AS tool OFFSET 0) expected)`;
