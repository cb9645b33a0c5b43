import type { ReactNode } from 'react';
import { isObject } from '#lib/contracts/json/json';
import type { Path } from '../form/edited';
import { ChoiceField, JsonField, NumberField } from '../form/fields';
import { useField } from '../form/form';
import { More } from './more';

/** How candidates are measured, and on which cases. @param of what is tried: "a combination" */
export function MeasureFields({ of }: { of: string }) {
  return (
    <fieldset>
      <legend>Measure</legend>
      <div className="in-row">
        <ChoiceField
          path={['measure']}
          label="Made as high as can be"
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
        <NumberField path={['samples']} label="Samples" help={`How often ${of} runs a case.`} />
      </div>
      <div className="in-row">
        <NumberField
          path={['holdout']}
          label="Held-out share"
          help="Of the cases. Nothing is chosen by them; at the end they confirm what was found. 0 confirms nothing."
        />
        <NumberField path={['seed']} label="Seed" help="The same seed draws the same." />
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
          label="At most, in US dollars"
          help="The search is planned to stay below. Empty: no limit."
        />
        <NumberField path={['budget', 'max_requests']} label="At most, in requests" />
      </div>
      <div className="in-row">
        <ChoiceField
          path={['cache']}
          label="Stored replies"
          options={[
            ['use', 'use: answer a repeated request'],
            ['refresh', 'refresh: ask again, and store'],
            ['off', 'off'],
          ]}
        />
        <NumberField path={['timeout_s']} label="Seconds a request may take" />
        {children}
      </div>
    </fieldset>
  );
}

const TOOL_CHOICES = [
  ['required', 'required: must call a tool'],
  ['auto', 'auto: may call a tool'],
  ['none', 'none: must not'],
] as const;

/** The request settings. @param at their path in the form */
export function RequestFields({ at }: { at: Path }) {
  return (
    <div className="in-row">
      <NumberField path={[...at, 'temperature']} label="Temperature" />
      <ChoiceField path={[...at, 'tool_choice']} label="Tool choice" options={TOOL_CHOICES} />
      <NumberField
        path={[...at, 'max_tokens']}
        label="Tokens of a reply, at most"
        help="Empty: no limit, or that of the baseline of the experiment."
      />
    </div>
  );
}

/** Additional request settings, shown if there are any or the user opens them. */
export function ParamsField({ at, label = 'Parameters of the provider' }: { at: Path; label?: string }) {
  const path = [...at, 'params'];
  const { value, unread, errors } = useField(path);
  const hasParams = isObject(value) && Object.keys(value).length > 0;
  return (
    <More words={label} isNeeded={hasParams || unread !== undefined || errors.length > 0}>
      <JsonField
        path={path}
        label={label}
        help='A JSON object that each request has, such as {"top_p": 0.9}.'
        isOptional
        rows={3}
      />
    </More>
  );
}
