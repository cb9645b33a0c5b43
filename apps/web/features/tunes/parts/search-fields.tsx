import type { ReactNode } from 'react';
import { isObject } from '#lib/contracts/json/json';
import type { Path } from '../../../ui/form/edited';
import { ChoiceField, JsonField, NumberField } from '../../../ui/form/fields';
import { useField } from '../../../ui/form/json-form';
import { Expandable } from '../../../ui/form/expandable';

/** How candidates are measured, and on which cases. @param of what is tried: "a combination" */
export function MeasureFields({ of }: { of: string }) {
  return (
    <fieldset>
      <legend>Measure</legend>
      <div className="in-row">
        <ChoiceField
          path={['measure']}
          label="Objective"
          options={[
            ['overall', 'overall: the mean score'],
            ['passed', 'passed: the share of cases that pass'],
          ]}
        />
        <NumberField
          path={['margin']}
          label="Margin"
          help="The smallest difference that matters: 0.02 is two points."
        />
        <NumberField path={['samples']} label="Samples" help={`How often each case runs with ${of}.`} />
      </div>
      <div className="in-row">
        <NumberField
          path={['holdout']}
          label="Held-out share"
          help="Share of the cases kept out of the search to confirm its result. 0: no confirmation."
        />
        <NumberField path={['seed']} label="Seed" help="Same seed, same sample." />
      </div>
    </fieldset>
  );
}

/** Limits of the search and its requests, and the use of stored replies. */
export function LimitFields({ children }: { children?: ReactNode }) {
  return (
    <fieldset>
      <legend>Limits</legend>
      <div className="in-row">
        <NumberField
          path={['budget', 'max_cost_usd']}
          label="Maximum cost in US dollars"
          help="The search is planned to stay below it. Empty: no limit."
        />
        <NumberField path={['budget', 'max_requests']} label="Maximum requests" />
      </div>
      <div className="in-row">
        <ChoiceField
          path={['cache']}
          label="Stored replies"
          options={[
            ['use', 'use: answer repeated requests'],
            ['refresh', 'refresh: ask again and store'],
            ['off', 'off'],
          ]}
        />
        <NumberField path={['timeout_s']} label="Request timeout in seconds" />
        {children}
      </div>
    </fieldset>
  );
}

const TOOL_CHOICES = [
  ['required', 'required: must call a tool'],
  ['auto', 'auto: may call a tool'],
  ['none', 'none: must not call a tool'],
] as const;

/** The request settings. @param at their path in the form */
export function RequestFields({ at }: { at: Path }) {
  return (
    <div className="in-row">
      <NumberField path={[...at, 'temperature']} label="Temperature" />
      <ChoiceField path={[...at, 'tool_choice']} label="Tool choice" options={TOOL_CHOICES} />
      <NumberField
        path={[...at, 'max_tokens']}
        label="Maximum reply tokens"
        help="Empty: the limit of the experiment's baseline, or no limit."
      />
    </div>
  );
}

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
        help='A JSON object added to each request, such as {"top_p": 0.9}.'
        isOptional
        rows={3}
      />
    </Expandable>
  );
}
