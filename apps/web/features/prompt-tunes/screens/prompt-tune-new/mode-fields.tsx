import { toText, type JsonObject } from '#lib/contracts/json/json';
import { NumberField } from '../../../../ui/form/fields';
import { useForm } from '../../../../ui/form/json-form';
import { FoldedFields } from '../../../../ui/form/folded-fields';

type Numbers = readonly (readonly [name: string, label: string, help: string])[];

const OF_MODE: Record<string, Numbers> = {
  quick: [['variants', 'Variants', 'Number of texts to write.']],
  evolutionary: [
    ['population', 'Population', 'Texts per generation.'],
    ['generations', 'Generations', 'Number of generations.'],
    ['selection_ratio', 'Parents', 'Share of a generation that becomes parents of the next.'],
  ],
  reflective: [
    ['minibatch', 'Cases per reflection', 'Cases that the meta model sees at a time.'],
    ['max_evals', 'Maximum evaluations', 'Cases × samples × models. Empty: enough for about ten steps.'],
  ],
};
const OF_ALL: Numbers = [
  ['max_growth', 'Growth', 'Maximum length of a text relative to the base. 800 characters are always allowed.'],
];

/** The numbers of the chosen mode. */
export function ModeFields() {
  const { edited } = useForm();
  const fields = [...(OF_MODE[toText((edited.value as JsonObject).mode ?? '')] ?? []), ...OF_ALL];
  return (
    <FoldedFields summary="Mode settings" fields={fields.map(([name]) => `/${name}`)}>
      <div className="in-row">
        {fields.map(([name, label, help]) => (
          <NumberField key={name} path={[name]} label={label} help={help} />
        ))}
      </div>
    </FoldedFields>
  );
}
