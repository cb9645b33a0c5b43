import type { CodeEntry } from './problem-codes.js';

const RESUME = 'Repeat the errored results: POST /api/tool-eval/history/{id}/resume.';
const RESCORE =
  'POST /api/tool-eval/history/{id}/rescore scores stored replies again, at no cost; compare with `rescore_a` or ' +
  '`rescore_b`.';
const SAMPLES =
  'POST /api/tool-eval/history/{id}/samples adds samples; GET /api/compare with `extended=true` and gates read them ' +
  'together with the first ones.';

/** The codes of notes. A code keeps its meaning; a later release may add others. */
export const NOTE_CODES = {
  note: { means: 'A note without a code of its own, or of an earlier release.', wayOut: 'Read its text.' },

  other_suites: {
    means: 'The runs are of different suites, so that cases of equal content are compared.',
    wayOut: 'Compare runs of one suite.',
  },
  few_common_cases: {
    means: 'Few cases are the same in both runs. The figures cover only these.',
    wayOut: 'Run both on the same version of the suite.',
    params: ['common', 'larger'],
  },
  expectations_changed: {
    means: 'Some cases ask the same and expect something else now.',
    wayOut: 'Submit the baseline again with `"cache": "use"`: stored replies answer what did not change.',
    params: ['cases', 'run_id'],
  },
  scoring_versions: {
    means: 'The verdicts come from different versions of the scoring.',
    wayOut: RESCORE,
    params: ['versions', 'a', 'b'],
  },
  pass_thresholds: { means: 'Cases pass from different scores.', wayOut: RESCORE, params: ['a', 'b'] },
  argument_rules: { means: 'Arguments were compared with different rules.', wayOut: RESCORE },
  requests_differ: {
    means: 'Models were asked in different ways, because of what they refuse.',
    wayOut: 'Read the differences before you trust the figures.',
  },
  samples_differ: {
    means: 'The runs have different numbers of samples per case.',
    wayOut: SAMPLES,
    params: ['a', 'b', 'run_id'],
  },
  errors_could_overturn: {
    means: 'Errored results could overturn the verdict.',
    wayOut: RESUME,
    params: ['a', 'b'],
  },
  groups_cut: {
    means: 'Only the groups with the most cases are listed.',
    wayOut: 'GET /api/compare/items lists the cases of all.',
    params: ['listed', 'count'],
  },
  replies_lost: {
    means: 'One side has more replies that were cut off or refused, which score 0.',
    wayOut: 'Run both with a higher `max_tokens`, or read the results with `error_type=refused`.',
    params: ['type', 'a', 'b'],
  },

  samples_drifted: {
    means: 'Samples that were added to a run differ beyond chance from those they join, and are not counted.',
    wayOut: 'Something changed between them, such as the provider. Compare a new run of the baseline.',
    params: ['side', 'target', 'since'],
  },

  no_baseline: {
    means: 'The experiment has no baseline, so nothing is compared.',
    wayOut: 'PUT /api/experiments/{id}/baseline pins a run.',
    command: 'toolmark experiments baseline <experiment_id> <run>',
    params: ['experiment_id', 'reason'],
  },
  baseline_one_sample: {
    means: 'The baseline has one sample per case: luck affects every comparison.',
    wayOut: SAMPLES,
    command: 'toolmark samples <run_id> 2',
    params: ['run_id', 'experiment_id'],
  },
  baseline_errored: {
    means: 'So many results of the baseline errored that there is no verdict.',
    wayOut: `${RESUME} Or pin another run: PUT /api/experiments/{id}/baseline.`,
    command: 'toolmark resume <run_id>',
    params: ['run_id', 'errored', 'items', 'experiment_id'],
  },
  baseline_older_version: {
    means: 'The baseline ran an older version of the suite.',
    wayOut: 'New runs are compared over the cases that stayed the same. Pin a newer run to compare all.',
    params: ['run_id', 'version', 'suite_version', 'experiment_id'],
  },
  lost_by_correction: {
    means: 'Some runs are better only before the correction for multiple comparisons.',
    wayOut: `${SAMPLES} Or run them again with more.`,
    params: ['comparisons', 'before', 'after'],
  },

  small_regression: {
    means: 'The gate passes though a regression smaller than its margin is shown.',
    wayOut: 'Pin a fixed baseline: several small regressions in a row add up.',
    params: ['margin'],
  },
  no_critical_case: {
    means: 'No case of the run has a critical tag of the gate.',
    wayOut: 'Tag cases of the suite, or change `critical_tags` of the gate.',
  },
  critical_cases_lost: {
    means: 'Some critical cases are not compared, because the baseline lacks them.',
    wayOut: 'Run the baseline on the present version of the suite.',
    params: ['lost', 'critical'],
  },
  models_not_measured: { means: 'The gate does not measure all models of the run.', wayOut: 'Change its `models`.' },
  looks_used_up: {
    means: 'The data have changed since the last of the planned looks; its answer stands.',
    wayOut: 'Measure a new run.',
    params: ['planned'],
  },
  gate_run_measuring: {
    means: 'A gate run is measuring this run, and this is the last answer.',
    wayOut: 'Ask again when it has ended.',
    params: ['gate_run_id'],
  },
  no_further_samples: {
    means: 'The replies of the run were recorded elsewhere, so no samples can be added.',
    wayOut: 'Record more replies.',
  },
  budget_ends_looks: {
    means: 'The budget is too small for another look.',
    wayOut: 'Raise `max_requests` of the gate, or the budget of the run.',
    params: ['needed', 'made', 'limit'],
  },

  budget_narrows_search: {
    means: 'The budget is below the whole search, so that fewer combinations are tried.',
    wayOut: 'Raise the budget.',
    params: ['whole', 'planned'],
  },
  budget_ends_search: {
    means: 'The budget ends the search before it has an answer.',
    wayOut: 'Raise the budget.',
    params: ['planned', 'limit'],
  },
  meta_replies_cut: {
    means: 'Replies of the meta model may be longer than its limit.',
    wayOut: 'Raise `meta_params.max_tokens`, or tune fewer texts.',
    params: ['tokens', 'limit'],
  },
  search_limit: { means: 'The search ended early, at a limit.', wayOut: 'Name fewer components.', params: ['limit'] },
  not_promoted: {
    means: 'The result was not run in the experiment, because that was archived or deleted.',
    wayOut: 'Run it in another experiment.',
  },
  promoted_before_resume: {
    means: 'The promoted settings were recommended before the tune was resumed.',
    wayOut: 'Run the present recommendation.',
  },

  judgements_limit: {
    means: 'Not all results are judged, because of the maximum of one report.',
    wayOut: 'Judge the rest in another report.',
    params: ['judged'],
  },
  no_summary: { means: 'The judge wrote no usable summary.', wayOut: 'Read the judgements themselves.' },
} as const satisfies Record<string, CodeEntry>;

export type NoteCode = keyof typeof NOTE_CODES;
