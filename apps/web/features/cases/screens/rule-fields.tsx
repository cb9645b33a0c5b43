import { toText } from '#lib/contracts/json/json';
import { ChoiceField, NumberField } from '../../../ui/form/fields';
import { FoldedFields } from '../../../ui/form/folded-fields';
import { useCase } from '../parts/expectation-fields';
import { ruleOptions, RULES } from '../parts/rule-words';

const DEFAULTS = [
  ['', 'count as the default that the tool declares'],
  ['equal', 'count as the default that the tool declares (explicit)'],
  ['strict', 'count as missing'],
] as const;

/** How expected arguments are compared with those of the call, where they have no rule of their own. */
export function RuleFields() {
  const { input } = useCase();
  const rule = toText(input.param_scoring ?? 'exact');
  const words = input.scoring_config == null ? (RULES[rule as keyof typeof RULES] ?? rule) : 'own settings';
  return (
    <FoldedFields summary={`Comparison: ${words.slice(0, 80)}`} fields={['/param_scoring', '/scoring_config']}>
      <ChoiceField path="param_scoring" label="Rule" options={ruleOptions('exact (default)')} />
      <div className="in-row">
        <ChoiceField path="scoring_config.mode" label="Rule override" options={ruleOptions('the rule above')} />
        <NumberField path="scoring_config.epsilon" label="Tolerance" help="Empty: 0.01." />
        <NumberField path="scoring_config.threshold" label="Similarity" help="Empty: 0.8, or 0.85 for meaning." />
      </div>
      <ChoiceField path="scoring_config.defaults" label="Missing arguments" options={DEFAULTS} />
    </FoldedFields>
  );
}
