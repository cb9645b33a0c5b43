/** SQL: whether the model of the target `t` is resting. */
export const IS_RESTING = `EXISTS (
  SELECT 1 FROM resting_model rest
  WHERE rest.provider_id = t.provider_id AND rest.model_id = t.model_id AND rest.until > now())`;

/** SQL of a human-readable time, to the nearest minute: "2026-01-01 00:00 UTC". */
export const toMinute = (time: string): string =>
  `to_char((${time} + interval '30 s') AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')`;
