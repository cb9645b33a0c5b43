import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { JudgeSetting } from '#lib/judge/contract';
import type { Edited } from '../../../../ui/form/edited.js';
import type { FormFault, FormRequest } from '../../../../ui/form/form-request.js';

interface ReportStart {
  run?: string | undefined;
  /** The run that it is compared with. */
  against?: string | undefined;
  setting: JudgeSetting;
}

/** The form's initial value: a JudgeInput, and which of its two kinds it is. */
export const emptyReport = ({ run = '', against, setting }: ReportStart): JsonObject => ({
  about: against === undefined ? 'run' : 'pair',
  eval_id: run,
  a: against ?? '',
  b: run,
  judge: setting.judge ?? '',
  which: 'failed',
  sample_size: 100,
  below: 1,
  samples: 1,
  instructions: setting.instructions,
  reference: true,
  allow_self: false,
  seed: 1,
  temperature: 0,
  max_tokens: 4096,
  timeout_s: 120,
  params: {},
  budget: null,
});

export const reportKindOf = (value: Json): 'run' | 'pair' =>
  isObject(value) && value.about === 'pair' ? 'pair' : 'run';

const RUN_FIELDS = {
  run: [['eval_id', 'Choose the run to judge.']],
  pair: [
    ['a', 'Choose the run to compare with.'],
    ['b', 'Choose the run to judge.'],
  ],
} as const;

/** The text of the request. Numbers are sent as typed; the API validates them. */
export function reportRequest({ value, unread }: Edited): FormRequest {
  const { about: _, eval_id: run, a, b, which, below, budget, ...rest } = isObject(value) ? value : {};
  const about = reportKindOf(value);
  const runs: JsonObject = about === 'run' ? { eval_id: run ?? '' } : { a: a ?? '', b: b ?? '' };
  const faults: FormFault[] = RUN_FIELDS[about]
    .filter(([key]) => toText(runs[key] ?? '') === '')
    .map(([key, message]) => ({ path: `/${key}`, message }));
  if (toText(rest.judge ?? '') === '') faults.push({ path: '/judge', message: 'Choose the judge.' });
  if (Object.keys(unread).length > 0) faults.push({ path: '/unread', message: 'Correct invalid input first.' });
  if (faults.length > 0) return { faults };
  const hasBudget = isObject(budget) && Object.keys(budget).length > 0;
  return {
    body: stringifyInSourceOrder({
      ...runs,
      ...(about === 'run' && { which, ...(below !== undefined && { below }) }),
      ...rest,
      ...(hasBudget && { budget }),
    }),
  };
}
