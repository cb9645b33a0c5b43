import { MISSED_FIGURES, type MissedFigure } from '#lib/contracts/values/conversations';
import { readableJson } from './case-measurements.js';

const NAMES = MISSED_FIGURES.map((name) => `'${name}'`).join(', ');
const FABRICATED: MissedFigure = 'conversation.fabricated';

/** SQL: the figures by which the conversation of result `r` fell short, as an array; NULL for other cases. */
export const MISSED = `CASE WHEN position('"conversation.' IN r.metrics) > 0 THEN ARRAY(
    SELECT figure.key FROM json_each(${readableJson('r.metrics')}) figure
    WHERE figure.key IN (${NAMES}) AND json_typeof(figure.value) = 'object'
      AND CASE figure.key WHEN '${FABRICATED}' THEN (figure.value ->> 'score')::float8 > 0
        ELSE (figure.value ->> 'score')::float8 < 1 END
  ) END`;
