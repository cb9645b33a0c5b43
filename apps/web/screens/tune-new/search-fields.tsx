import { ChoiceField, NumberField } from '../../parts/form/fields';

/** How it is measured, and on which cases. */
export function MeasureFields() {
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
        <NumberField path={['samples']} label="Samples" help="How often a combination runs a case." />
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

/** What ends the search early, and what is asked again. */
export function LimitFields() {
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
        <NumberField path={['max_combinations']} label="Combinations of a grid, at most" />
      </div>
    </fieldset>
  );
}
