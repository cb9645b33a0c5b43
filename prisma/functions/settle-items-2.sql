-- Settles a batch of items with `settle_items`, and stores in which syntax their hosts left calls in the text: few
-- results have one. Workers of the release before call `settle_items` itself.
CREATE OR REPLACE FUNCTION settle_items_2(
  p_run uuid[], p_target int[], p_item int[], p_token bigint[], p_case int[], p_sample int[], p_category text[],
  p_outcome text[], p_passed bool[], p_tool float8[], p_param float8[], p_overall float8[], p_error_type text[],
  p_format text[], p_abstention bool[], p_called text[], p_evidence text[], p_metrics text[], p_version int,
  p_latency int[], p_prompt_tokens int[], p_completion_tokens int[], p_cost float8[], p_cached bool[],
  p_attempts int[], p_error_kind text[], p_error_message text[], p_tool_choice text[], p_exchange bytea[],
  p_syntax text[]
) RETURNS TABLE (run_id uuid, settled int, ended boolean, stored int[])
LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
  batch record;
BEGIN
  FOR batch IN SELECT * FROM settle_items(
    p_run => p_run, p_target => p_target, p_item => p_item, p_token => p_token, p_case => p_case,
    p_sample => p_sample, p_category => p_category, p_outcome => p_outcome, p_passed => p_passed, p_tool => p_tool,
    p_param => p_param, p_overall => p_overall, p_error_type => p_error_type, p_format => p_format,
    p_abstention => p_abstention, p_called => p_called, p_evidence => p_evidence, p_metrics => p_metrics,
    p_version => p_version, p_latency => p_latency, p_prompt_tokens => p_prompt_tokens,
    p_completion_tokens => p_completion_tokens, p_cost => p_cost, p_cached => p_cached, p_attempts => p_attempts,
    p_error_kind => p_error_kind, p_error_message => p_error_message, p_tool_choice => p_tool_choice,
    p_exchange => p_exchange
  ) LOOP
    IF EXISTS (SELECT 1 FROM unnest(batch.stored) AS s(n) WHERE p_syntax[n] IS NOT NULL) THEN
      UPDATE result r SET syntax = p_syntax[n] FROM unnest(batch.stored) AS s(n)
      WHERE p_syntax[n] IS NOT NULL AND r.run_id = batch.run_id AND r.target = p_target[n]
        AND r.case_position = p_case[n] AND r.sample = p_sample[n];
    END IF;
    RETURN QUERY SELECT batch.run_id, batch.settled, batch.ended, batch.stored;
  END LOOP;
END
$$;
