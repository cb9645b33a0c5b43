/** SQL: whether the model of the target `t` rests. */
export const RESTS = `EXISTS (
  SELECT 1 FROM resting_model rest
  WHERE rest.provider_id = t.provider_id AND rest.model_id = t.model_id AND rest.until > now())`;
