import { toText, type JsonObject } from '#lib/contracts/json/json';
import { MAX_INSTRUCTIONS_CHARS } from '#lib/contracts/values/judging';
import { CheckField, ChoiceField, LongTextField, NumberField } from '../../parts/form/fields';
import { useField, useForm } from '../../parts/form/form';
import { ChooseModel } from '../../parts/set-up/choose-model';
import { Folded } from '../../parts/set-up/folded';
import { ParamsField } from '../../parts/set-up/search-fields';
import { ChooseRun } from '../../parts/set-up/choose-run';
import { aboutOf } from './report-value';

export function ReportFields() {
  const { edited } = useForm();
  const about = aboutOf(edited.value);
  return (
    <>
      <ChoiceField
        path={['about']}
        label="What is judged"
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
          <ChooseRun path={['a']} label="Compared with" help="The baseline. The judge is not told which is which." />
        </>
      )}
      <ChooseModel path={['judge']} label="Judge" help="It must be able to call tools; a strong model judges better." />
      <AllowSelf />
      {about === 'run' ? <Which /> : <NumberField path={['sample_size']} label="Cases, at most" />}
      <LongTextField
        path={['instructions']}
        label="Instructions"
        help="What the judge should mind in this suite, beside the rules that every judge gets."
        maxLength={MAX_INSTRUCTIONS_CHARS}
        whenEmpty=""
      />
      <Reference />
      <More />
    </>
  );
}

function Which() {
  const { edited } = useForm();
  const which = toText((edited.value as JsonObject).which ?? '');
  return (
    <div className="in-row">
      <ChoiceField
        path={['which']}
        label="Which results"
        help={which === 'failed' ? 'They say nothing of what passed: kappa takes all or a sample.' : undefined}
        options={[
          ['failed', 'failed: those that did not pass'],
          ['all', 'all that have a score'],
          ['sample', 'sample: some drawn at random, which speak for all'],
        ]}
      />
      {which === 'failed' && (
        <NumberField path={['below']} label="Below" help="Only what scores below this, from 0 to 1." />
      )}
      {which === 'sample' && <NumberField path={['sample_size']} label="How many" />}
    </div>
  );
}

function AllowSelf() {
  const path = ['allow_self'];
  const { value, set } = useField(path);
  return (
    <CheckField
      path={path}
      label="A model may judge itself"
      help="Models prefer their own replies, so a judge of a model of the run is refused unless this is chosen."
      checked={value === true}
      onChange={set}
    />
  );
}

function Reference() {
  const path = ['reference'];
  const { value, set } = useField(path);
  return (
    <CheckField
      path={path}
      label="The judge sees what the case expects"
      help="As a reference that may be wrong. Without it, it judges by the conversation alone."
      checked={value === true}
      onChange={set}
    />
  );
}

const IN_MORE = ['samples', 'temperature', 'max_tokens', 'timeout_s', 'seed', 'params', 'budget'];

const More = () => (
  <Folded summary="Requests and limits" fields={IN_MORE.map((name) => `/${name}`)}>
    <div className="in-row">
      <NumberField path={['samples']} label="Samples" help="How often each is judged; the majority counts." />
      <NumberField path={['temperature']} label="Temperature" help="At 0, a rerun is answered from stored replies." />
      <NumberField path={['max_tokens']} label="Tokens of a reply, at most" help="Empty: 4,096." />
    </div>
    <div className="in-row">
      <NumberField path={['timeout_s']} label="Seconds a request may take" />
      <NumberField path={['seed']} label="Seed" help="Decides which results are drawn." />
    </div>
    <div className="in-row">
      <NumberField
        path={['budget', 'max_cost_usd']}
        label="At most, in US dollars"
        help="The report stops there and keeps what it has. Empty: no limit."
      />
      <NumberField path={['budget', 'max_requests']} label="At most, in requests" />
    </div>
    <ParamsField at={[]} />
  </Folded>
);
