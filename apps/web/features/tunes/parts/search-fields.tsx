import type { ReactNode } from 'react';
import { isObject, toText } from '#lib/contracts/json/json';
import type { ParamTuneInput } from '#lib/param-tune/contract';
import type { Path } from '../../../ui/form/edited';
import { Expandable } from '../../../ui/form/folded-fields';
import { JsonField } from '../../../ui/form/fields';
import { Faults, useField } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';

/** A way to search, with a sentence about it. */
type Mode = readonly [mode: string, words: string];

interface ModeProps {
  modes: readonly Mode[];
  /** The choices that the mode needs. */
  children?: ReactNode;
}

/** How a tune searches, with a sentence for each mode. */
export function ChooseMode({ modes, children }: ModeProps) {
  const { id, value, errors, refusal, set } = useField('mode');
  return (
    <fieldset aria-describedby={`${id}-faults`}>
      <legend>Mode</legend>
      {modes.map((one) => (
        <label key={one[0]} className="mode">
          <input
            type="radio"
            name={id}
            disabled={refusal !== undefined}
            title={refusal}
            checked={toText(value) === one[0]}
            onChange={() => set(one[0])}
          />
          <ModeWords mode={one} />
        </label>
      ))}
      <div id={`${id}-faults`} className="small">
        <Faults faults={errors} />
      </div>
      {children}
    </fieldset>
  );
}

const ModeWords = ({ mode: [mode, words] }: { mode: Mode }) => (
  <span>
    <strong>{mode}</strong> <span className="muted">{words}</span>
  </span>
);

/** How candidates are measured, and on which cases. @param of what is tried: "a combination" */
export const MeasureFields = ({ of }: { of: string }) => (
  <fieldset>
    <legend>Measure</legend>
    <Fields of={measure(of)} />
  </fieldset>
);

/** Limits of the search and its requests, and the use of stored replies. */
export const LimitFields = ({ children }: { children?: ReactNode }) => (
  <fieldset>
    <legend>Limits</legend>
    <Fields of={BUDGET} />
    <div className="in-row">
      <Fields of={REPLIES} />
      {children}
    </div>
  </fieldset>
);

/** The request settings. @param at their path in the form */
export const RequestFields = ({ at }: { at: Path }) => <Fields of={REQUESTS} within={at.join('.')} />;

/** Additional request settings, shown if there are any or the user opens them. */
export function ParamsField({ at, label = 'Provider parameters' }: { at: Path; label?: string }) {
  const path = [...at, 'params'];
  const { value, unread, errors } = useField(path);
  const hasParams = isObject(value) && Object.keys(value).length > 0;
  return (
    <Expandable words={label} isNeeded={hasParams || unread !== undefined || errors.length > 0}>
      <JsonField
        path={path}
        label={label}
        help="A JSON object added to each request, for example of top_p."
        isOptional
        rows={3}
      />
    </Expandable>
  );
}

/** Whether models must call a tool, to choose from. */
export const TOOL_CHOICES = [
  ['required', 'required: must call a tool'],
  ['auto', 'auto: may call a tool'],
  ['none', 'none: must not call a tool'],
] as const;

/** What stored replies are used for, to choose from. */
export const CACHE_MODES = [
  ['use', 'use: answer repeated requests'],
  ['refresh', 'refresh: ask again and store'],
  ['off', 'off'],
] as const;

const measure = (of: string): FormSchema => [
  [
    {
      choice: 'measure',
      label: 'Objective',
      options: [
        ['overall', 'overall: the mean score'],
        ['passed', 'passed: the share of cases that pass'],
      ],
    },
    { number: 'margin', label: 'Margin', help: 'The smallest difference that matters: 0.02 is two points.' },
    { number: 'samples', label: 'Samples', help: `How often each case runs with ${of}.` },
  ],
  [
    {
      number: 'holdout',
      label: 'Held-out share',
      help: 'Share of the cases kept out of the search to confirm its result. 0: no confirmation.',
    },
    { number: 'seed', label: 'Seed', help: 'Same seed, same sample.' },
  ],
];

const BUDGET: FormSchema<ParamTuneInput> = [
  [
    {
      number: 'budget.max_cost_usd',
      label: 'Maximum cost in US dollars',
      help: 'The search is planned to stay below it. Empty: no limit.',
    },
    { number: 'budget.max_requests', label: 'Maximum requests' },
  ],
];

const REPLIES: FormSchema<ParamTuneInput> = [
  { choice: 'cache', label: 'Stored replies', options: CACHE_MODES },
  { number: 'timeout_s', label: 'Request timeout in seconds' },
];

const REQUESTS: FormSchema = [
  [
    { number: 'temperature', label: 'Temperature' },
    { choice: 'tool_choice', label: 'Tool choice', options: TOOL_CHOICES },
    {
      number: 'max_tokens',
      label: 'Maximum reply tokens',
      help: "Empty: the limit of the experiment's baseline, or no limit.",
    },
  ],
];
