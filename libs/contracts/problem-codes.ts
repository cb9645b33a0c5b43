import { ACCESS_CODES } from './access-codes.js';
import { LIMIT_CODES } from './limit-codes.js';

/** What a code says, for docs/problems.md and the command line. The page has words and buttons of its own. */
export interface CodeEntry {
  /** A sentence. */
  means: string;
  /** What helps, with the API path for scripts. */
  wayOut: string;
  /** The command of the CLI that helps; `<name>` is filled in from `params`. */
  command?: string;
  /** Names of the `params` that say more. */
  params?: readonly string[];
}

/**
 * The codes of problems. A code keeps its meaning; a later release may add others. Codes up to `internal_error` are
 * general: a problem without a code of its own gets the one of its status.
 */
export const PROBLEM_CODES = {
  invalid_input: {
    means: 'The request has fields that are wrong, missing or do not fit together.',
    wayOut: '`errors` names each field as a JSON Pointer, with what would be right.',
  },
  not_signed_in: {
    means: 'The token or session is missing, expired or deleted.',
    wayOut: 'Send `Authorization: Bearer <token>`. An owner creates tokens with POST /api/tokens.',
    command: 'toolmark login',
  },
  forbidden: { means: 'The caller may not do this.', wayOut: 'Ask somebody who may.' },
  not_found: {
    means: 'Nothing with this id exists in the team, or the address is unknown.',
    wayOut: 'Read the list again: it may have been deleted.',
    params: ['what', 'id'],
  },
  request_timeout: {
    means: 'The body broke off or came too slowly.',
    wayOut: 'Send it again. Nothing was stored.',
  },
  conflict: {
    means: 'The state of what the request names does not allow this now.',
    wayOut: 'Read it again, then decide.',
  },
  too_large: { means: 'The body is larger than the route accepts.', wayOut: 'Send less at a time.' },
  unsupported_type: {
    means: 'The route does not accept this content type.',
    wayOut: 'Send one of the types in the `Accept` header of the response.',
  },
  too_many_requests: {
    means: 'The team has too many requests of this kind under way.',
    wayOut: 'Try again after `Retry-After` seconds.',
  },
  unavailable: {
    means: 'The server or its database cannot answer at the moment.',
    wayOut: 'Try again after `Retry-After` seconds.',
  },
  internal_error: {
    means: 'Something went wrong on the server.',
    wayOut: 'The log of the server has the details.',
  },

  role_needed: {
    means: 'The token or session has a role that may not do this.',
    wayOut: 'Use a token with the role in `params.needed`, or ask an owner.',
    params: ['needed', 'role'],
  },
  ...ACCESS_CODES,
  last_owner_token: {
    means: 'Without this token nobody could manage the team.',
    wayOut: 'Create another owner token that does not expire first: POST /api/tokens.',
  },
  idempotency_key_reused: {
    means: 'The Idempotency-Key was used for another request.',
    wayOut: 'Use a new key for each request, and the same key only to repeat one.',
  },
  idempotency_key_in_use: {
    means: 'The first request with this Idempotency-Key is still being answered.',
    wayOut: 'Repeat the request after `Retry-After` seconds.',
  },
  changed_meanwhile: {
    means: 'Somebody else changed this since it was read.',
    wayOut: 'Read it again and repeat the change.',
  },
  name_taken: {
    means: 'The name or key is used already.',
    wayOut: 'Choose another, or change the existing one.',
    params: ['what', 'name', 'id'],
  },
  invalid_cursor: {
    means: 'The cursor does not come from this list.',
    wayOut: 'Take it from `next_cursor` of the page before, with the same filters and order.',
  },
  secret_unreadable: {
    means: 'A stored secret cannot be decrypted with the secret key of this server.',
    wayOut: 'Start the server with the key it was stored with, or store the secret again.',
  },
  key_reference_unavailable: {
    means: 'The key that a provider names by reference cannot be had.',
    wayOut: 'Name one that `GET /api/providers/key-refs` lists, or ask the operator to put it right.',
  },

  ...LIMIT_CODES,
  no_prices: {
    means: 'A budget in dollars needs prices for every model.',
    wayOut:
      'Set `input_cost_per_mtok` and `output_cost_per_mtok` of the models in `params.models` with ' +
      'PATCH /api/providers/{key}, or use `max_requests`.',
    params: ['models'],
  },
  monthly_cap_reached: {
    means: 'The team has spent its monthly cap.',
    wayOut: 'An owner changes the cap with PUT /api/settings/spending.',
    params: ['spent_usd', 'cap_usd'],
  },
  token_cap_reached: {
    means: 'The token has spent its monthly cap.',
    wayOut: 'Wait for the next month, use another token, or let an owner raise the cap with PATCH /api/tokens/{id}.',
    params: ['token', 'spent_usd', 'cap_usd'],
  },
  budget_spent: {
    means: 'The budget of the run is spent, so it cannot go on.',
    wayOut:
      'Resume with a larger budget: POST /api/tool-eval/history/{id}/resume with `{"budget": {...}}`, or with ' +
      '`{"budget": null}` for none.',
    command: 'toolmark resume <run_id> --max-requests <limit>',
    params: ['run_id'],
  },
  run_too_large: {
    means: 'Cases times samples times models exceed what a run may have.',
    wayOut: 'Use fewer samples or models, or a `case_filter`.',
    params: ['items', 'limit', 'cases', 'samples', 'models'],
  },
  tune_too_large: {
    means: 'The tune takes more requests or combinations than allowed.',
    wayOut: 'Use the mode "adaptive" or "reflective", fewer models, values or samples.',
    params: ['count', 'limit'],
  },
  budget_too_small: {
    means: 'The tune cannot finish a single step with this budget.',
    wayOut: 'Raise it to `params.least`.',
    params: ['given', 'least'],
  },
  too_few_cases: {
    means: 'The suite has too few cases for what was asked.',
    wayOut: 'Add cases, or hold out none of them (`"holdout": 0`).',
    params: ['cases', 'least'],
  },
  samples_limit: {
    means: 'The run has as many samples per case as it may have.',
    wayOut: 'Add at most `params.remaining` samples.',
    params: ['run_id', 'samples', 'limit', 'remaining'],
  },
  answer_too_large: {
    means: 'The answer would be too large or too much work.',
    wayOut: 'Ask for fewer runs, models, cases or results at a time, or for results with `lean=true`.',
  },

  no_default_judge: {
    means: 'No judge was named, and the team has no default judge.',
    wayOut: 'Name a model as `judge`, or an owner sets one with PUT /api/settings/judge.',
    command: 'toolmark judges settings --judge <model>',
  },
  judge_judges_itself: {
    means: 'A model would judge its own replies.',
    wayOut: 'Choose another judge, or allow it with `"allow_self": true`.',
    params: ['judge', 'model'],
  },
  no_embedding_model: {
    means: 'A case is compared by meaning, and the team has no embedding model.',
    wayOut:
      'An owner sets one with PUT /api/settings/embedding. Or compare the case in another way, or leave it out with ' +
      '`case_filter`.',
    params: ['case'],
  },
  unknown_model: {
    means: 'A named model is not a model of the team, or the name is ambiguous.',
    wayOut: 'GET /api/models lists the models; PATCH /api/providers/{key} adds one.',
    command: 'toolmark models',
    params: ['model'],
  },
  unknown_suite: {
    means: 'The suite does not exist in the team.',
    wayOut: 'GET /api/tool-suites lists the suites.',
    command: 'toolmark suites list',
    params: ['id'],
  },
  unknown_run: {
    means: 'The run does not exist in the team.',
    wayOut: 'GET /api/tool-eval/history lists the runs.',
    command: 'toolmark history',
    params: ['id'],
  },
  unknown_experiment: {
    means: 'The experiment does not exist in the team.',
    wayOut: 'GET /api/experiments lists the experiments.',
    command: 'toolmark experiments list',
    params: ['id'],
  },
  unknown_prompt_version: {
    means: 'The prompt version or tag does not exist for the suite.',
    wayOut: 'GET /api/prompt-versions?suite_id={id} lists them.',
    command: 'toolmark prompts list --suite <suite_id>',
    params: ['version', 'suite_id'],
  },
  unknown_rescore: {
    means: 'The run has no such rescore.',
    wayOut: 'GET /api/tool-eval/history/{id}/rescores lists them.',
    params: ['id', 'run_id'],
  },

  suite_empty: {
    means: 'The suite has no test cases.',
    wayOut: 'POST /api/tool-suites/{id}/cases adds one.',
    params: ['suite_id', 'name'],
  },
  suite_all_drafts: {
    means: 'All test cases of the suite are drafts, and runs leave drafts out.',
    wayOut: 'Review them, and change `draft` to false: PATCH /api/tool-suites/{id}/cases/{caseId}.',
    params: ['suite_id', 'name'],
  },
  no_case_matches: { means: 'The case filter matches no case.', wayOut: 'Change `case_filter`, or leave it out.' },
  suite_changed: {
    means: 'The suite changed between planning and submitting.',
    wayOut: 'Submit again.',
  },
  version_gone: {
    means: 'This version of the suite is not stored: only versions of runs are kept.',
    wayOut: 'GET /api/tool-suites/{id}/versions lists the stored ones.',
    params: ['version'],
  },
  unknown_suite_version: {
    means: 'The suite has no stored version of this number: only versions of runs and the current one are kept.',
    wayOut: 'Take one of those that are named, or leave `suite_version` out.',
    params: ['version', 'versions'],
  },
  prompt_version_limit: {
    means: 'The suite has as many prompt versions as it may have.',
    wayOut: 'DELETE /api/prompt-versions/{id} removes one; runs that used it keep their texts.',
    params: ['limit'],
  },

  provider_exists: {
    means: 'There is a provider with this key already.',
    wayOut: 'Change it with PATCH /api/providers/{key}.',
    params: ['key'],
  },
  provider_in_use: {
    means: 'An unfinished run uses the provider.',
    wayOut: 'Cancel the run, or wait for it to end.',
    params: ['key'],
  },
  provider_deleted: {
    means: 'A provider of the run was deleted.',
    wayOut: 'Submit a new run with models that exist.',
  },
  provider_without_models: {
    means: 'The provider has no models.',
    wayOut: 'Add one with PATCH /api/providers/{key}.',
    params: ['key'],
  },
  models_not_listed: {
    means: 'The provider does not list its models.',
    wayOut: 'Add models by their ids with PATCH /api/providers/{key}.',
    params: ['key'],
  },

  experiment_archived: {
    means: 'The experiment is archived and takes no new runs.',
    wayOut: 'Set its status to "active" with PUT /api/experiments/{id}.',
    command: 'toolmark experiments activate <experiment_id>',
    params: ['experiment_id', 'name'],
  },
  experiment_of_other_suite: {
    means: 'The experiment belongs to another suite.',
    wayOut: 'Choose an experiment of the same suite, or none.',
    params: ['experiment_id'],
  },
  no_best_run: {
    means: 'No run of the experiment qualifies as the best one yet.',
    wayOut:
      'A run qualifies when it is completed and has the models of the baseline, at least 80 % of its cases and at ' +
      'most 5 % errored results. GET /api/experiments/{id}/timeline lists the runs.',
    params: ['experiment_id'],
  },
  baseline_unusable: {
    means: 'The run cannot be a baseline: it is unfinished, lacks results, or has no score.',
    wayOut: 'Repeat what is missing with POST /api/tool-eval/history/{id}/resume, or choose another run.',
    command: 'toolmark resume <run_id>',
    params: ['run_id', 'status'],
  },

  run_unfinished: {
    means: 'The run has not ended.',
    wayOut: 'Wait, or cancel it with POST /api/tool-eval/cancel.',
    command: 'toolmark show <run_id>',
    params: ['run_id', 'status'],
  },
  job_unfinished: {
    means: 'A job that belongs to this is still running or queued.',
    wayOut: 'Wait, or cancel it with POST /api/jobs/{id}/cancel.',
    command: 'toolmark cancel <job_id>',
    params: ['job_id', 'status'],
  },
  job_finished: { means: 'The job has ended already.', wayOut: 'Nothing is left to cancel.', params: ['status'] },
  part_of_job: {
    means: 'The run belongs to a gate run, a tune or a report.',
    wayOut: 'Do it to that one: POST /api/jobs/{id}/cancel or /resume with its job.',
    params: ['parent_type', 'parent_id'],
  },
  nothing_to_resume: {
    means: 'Everything is scored or decided already.',
    wayOut: 'Submit a new run.',
    params: ['run_id'],
  },
  not_resumable: { means: 'Jobs of this type cannot be resumed.', wayOut: 'Submit it again.', params: ['type'] },
  replies_recorded: {
    means: 'The replies of the run were made elsewhere, so models cannot be asked again.',
    wayOut: 'Submit a run with POST /api/tool-eval, or name the models to run.',
    params: ['run_id'],
  },
  adds_samples: {
    means: 'The run adds samples to another one.',
    wayOut: 'Use the run in `params.run_id` instead.',
    params: ['run_id'],
  },
  settings_invalid: {
    means: 'The settings that the run was submitted with are no longer valid.',
    wayOut: 'Submit a new run with POST /api/tool-eval.',
  },
  jobs_limit: {
    means: 'The team or the person has as many unfinished jobs as allowed.',
    wayOut: 'Wait for one to end, cancel one, or an owner raises the limit with PUT /api/settings/jobs.',
    params: ['limit', 'count', 'setting'],
  },

  cannot_compare: {
    means: 'The runs have nothing in common that could be compared.',
    wayOut: 'Compare runs of the same suite, or name pairs of models with `pairs`.',
  },
  measure_missing: {
    means: 'One of the runs lacks the measure.',
    wayOut:
      'POST /api/tool-eval/history/{id}/rescore computes further metrics; then compare with `rescore_a` or ' +
      '`rescore_b`.',
    params: ['measure', 'common'],
  },
  rescore_unfinished: {
    means: 'The rescore has not ended, or lacks verdicts.',
    wayOut: 'Wait for it, or rescore again.',
    params: ['rescore_id', 'status'],
  },
  other_models: {
    means: 'The gate measures other models than the run has.',
    wayOut: 'Run the models of the gate.',
    params: ['gate'],
  },

  mcp_unreadable: {
    means: 'The tools of the MCP server could not be read.',
    wayOut: 'Check its address, its transport and the headers, or send the list as `tools` to POST /api/mcp/import.',
  },
  mcp_no_tools: { means: 'The MCP server lists no tools that can be used.', wayOut: 'Check its permissions.' },
  mcp_too_many_tools: {
    means: 'The tools are more or larger than a suite can hold.',
    wayOut: 'Choose some with `tool_names`; POST /api/mcp/discover lists them.',
    params: ['count', 'limit'],
  },
  mcp_no_source: {
    means: 'The tools of the suite were not read from an MCP server.',
    wayOut: 'Give its `url`.',
  },
} as const satisfies Record<string, CodeEntry>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

const BY_STATUS: Readonly<Record<number, ProblemCode>> = {
  401: 'not_signed_in',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_type',
  429: 'too_many_requests',
  503: 'unavailable',
};

/** The code of a problem that has none of its own. */
export const codeOfStatus = (status: number): ProblemCode =>
  BY_STATUS[status] ?? (status >= 500 ? 'internal_error' : 'invalid_input');
