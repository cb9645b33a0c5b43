import { isObject, type JsonObject } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { refreshWork } from '../../../../api/query-client';
import { FormDialog } from '../../../../ui/form/form-dialog';
import { useForm } from '../../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { rescoreRun } from '../../api';
import { RescoreVersion } from './rescore-version';
import { rescoreRequest, RULES, settingOf } from './rescore-value';

/** Scores the stored replies again, under other settings or with another version of the suite. Nothing is asked. */
export const RunRescore = ({ run: { id: runId, suite }, close }: { run: Run; close: () => void }) => (
  <FormDialog<JsonObject>
    title="Rescore this run"
    action="Rescore"
    initial={UNCHANGED}
    send={(typed, options) => rescoreRun(runId, rescoreRequest(typed), options)}
    onDone={() => {
      close();
      return refreshWork(runId);
    }}
    close={close}
  >
    <p>
      The stored replies are scored again, without model requests or cost. The run also keeps its original verdicts.
    </p>
    <RescoreVersion suite={suite} />
    <Fields of={[...RULE, <RuleSetting key="setting" />, ...METRICS]} />
  </FormDialog>
);

function RuleSetting() {
  const { value } = useForm().edited;
  const key = settingOf(isObject(value) ? value.param_scoring : undefined);
  return key && <Fields of={[SETTINGS[key]]} />;
}

const UNCHANGED = {};

const RULE: FormSchema = [
  { number: 'pass_threshold', label: 'Pass threshold, 0 to 1; empty for the threshold of the suite' },
  {
    choice: 'param_scoring',
    label: 'Argument comparison',
    none: 'as set in each case',
    options: RULES.map((rule) => [rule, rule.replaceAll('_', ' ')]),
  },
];
const SETTINGS = {
  epsilon: { number: 'scoring_config.epsilon', label: 'Maximum difference of numbers; empty for 0.01' },
  threshold: {
    number: 'scoring_config.threshold',
    label: 'Minimum similarity of texts, 0 to 1; empty for the default',
  },
};
const METRICS: FormSchema = [
  {
    jsonText: 'metrics',
    label: 'Metrics as a JSON list; empty for the metrics of the run',
    placeholder: '[{"id": "ragas_tool_call_f1"}]',
  },
];
