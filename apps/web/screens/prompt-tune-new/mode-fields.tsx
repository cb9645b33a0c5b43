import { toText, type JsonObject } from '#lib/contracts/json/json';
import { NumberField } from '../../parts/form/fields';
import { useForm } from '../../parts/form/form';
import { Folded } from '../../parts/set-up/folded';

type Numbers = readonly (readonly [name: string, label: string, help: string])[];

const OF_MODE: Record<string, Numbers> = {
  quick: [['variants', 'Variants', 'How many texts are written.']],
  evolutionary: [
    ['population', 'Population', 'How many texts a generation has.'],
    ['generations', 'Generations', 'How many there are.'],
    ['selection_ratio', 'Parents', 'The share of a generation that becomes parents of the next.'],
  ],
  reflective: [
    ['minibatch', 'Cases of a reflection', 'How many cases one look at what went wrong is about.'],
    ['max_evals', 'Evaluations, at most', 'Cases times samples times models. Empty: enough for about ten steps.'],
  ],
};
const OF_ALL: Numbers = [
  ['max_growth', 'Growth', 'How many times as long as in the base a text may become. 800 characters are always free.'],
];

/** The numbers of the chosen mode. */
export function ModeFields() {
  const { edited } = useForm();
  const fields = [...(OF_MODE[toText((edited.value as JsonObject).mode ?? '')] ?? []), ...OF_ALL];
  return (
    <Folded summary="More of this mode" fields={fields.map(([name]) => `/${name}`)}>
      <div className="in-row">
        {fields.map(([name, label, help]) => (
          <NumberField key={name} path={[name]} label={label} help={help} />
        ))}
      </div>
    </Folded>
  );
}
