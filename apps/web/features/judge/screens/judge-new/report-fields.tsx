import { toText, type JsonObject } from '#lib/contracts/json/json';
import { MAX_INSTRUCTIONS_CHARS } from '#lib/contracts/values/judging';
import { CheckField, ChoiceField, LongTextField, NumberField } from '../../../../ui/form/fields';
import { useField, useForm } from '../../../../ui/form/json-form';
import { ChooseModel } from '../../../providers/parts/choose-model';
import { FoldedFields } from '../../../../ui/form/folded-fields';
import { ParamsField } from '../../../tunes/parts/search-fields';
import { ChooseRun } from '../../../runs/parts/choose-run';
import { reportKindOf } from './report-value';

export function ReportFields() {
  const { edited } = useForm();
  const about = reportKindOf(edited.value);
  return (
    <>
      <ChoiceField
        path={['about']}
        label="Subject"
        options={[
          ['run', 'a run: does each reply serve the user?'],
          ['pair', 'two runs: whose replies are better?'],
        ]}
      />
      {about === 'run' ? (
        <ChooseRun path={['eval_id']} label="Run" />
      ) : (
        <>
          <ChooseRun path={['b']} label="Run" />
          <ChooseRun
            path={['a']}
            label="Compared with"
            help="The baseline. The judge does not know which run is which."
          />
        </>
      )}
      <ChooseModel path={['judge']} label="Judge" help="It must be able to call tools; a strong model judges better." />
      <Flag
        path={['allow_self']}
        label="Allow a model to judge itself"
        help="Models prefer their own replies, so a model of the run is refused as its judge unless you allow it."
      />
      {about === 'run' ? <ResultSelection /> : <NumberField path={['sample_size']} label="Maximum cases" />}
      <LongTextField
        path={['instructions']}
        label="Instructions"
        help="What matters in this suite, in addition to the rules that every judge gets."
        maxLength={MAX_INSTRUCTIONS_CHARS}
        whenEmpty=""
      />
      <Flag
        path={['reference']}
        label="Show the expectation to the judge"
        help="As a reference that may be wrong. Otherwise it judges by the conversation alone."
      />
      <RequestFields />
    </>
  );
}

function ResultSelection() {
  const { edited } = useForm();
  const which = toText((edited.value as JsonObject).which ?? '');
  return (
    <div className="in-row">
      <ChoiceField
        path={['which']}
        label="Results"
        help={which === 'failed' ? 'They leave out passed results: kappa needs all results or a sample.' : undefined}
        options={[
          ['failed', 'failed: results that did not pass'],
          ['all', 'all: results with a score'],
          ['sample', 'sample: a random sample that represents all'],
        ]}
      />
      {which === 'failed' && (
        <NumberField path={['below']} label="Below" help="Only results that score below this, from 0 to 1." />
      )}
      {which === 'sample' && <NumberField path={['sample_size']} label="Sample size" />}
    </div>
  );
}

function Flag({ path, label, help }: { path: string[]; label: string; help: string }) {
  const { value, set } = useField(path);
  return <CheckField path={path} label={label} help={help} checked={value === true} onChange={set} />;
}

const REQUEST_KEYS = ['samples', 'temperature', 'max_tokens', 'timeout_s', 'seed', 'params', 'budget'];

const RequestFields = () => (
  <FoldedFields summary="Requests and limits" fields={REQUEST_KEYS.map((name) => `/${name}`)}>
    <div className="in-row">
      <NumberField path={['samples']} label="Samples" help="Judgements per result; the majority counts." />
      <NumberField path={['temperature']} label="Temperature" help="At 0, a rerun uses stored replies." />
      <NumberField path={['max_tokens']} label="Maximum reply tokens" help="Empty: 4,096." />
    </div>
    <div className="in-row">
      <NumberField path={['timeout_s']} label="Request timeout in seconds" />
      <NumberField path={['seed']} label="Seed" help="Same seed, same sample." />
    </div>
    <div className="in-row">
      <NumberField
        path={['budget', 'max_cost_usd']}
        label="Maximum cost in US dollars"
        help="The report stops there and keeps its judgements. Empty: no limit."
      />
      <NumberField path={['budget', 'max_requests']} label="Maximum requests" />
    </div>
    <ParamsField at={[]} />
  </FoldedFields>
);
