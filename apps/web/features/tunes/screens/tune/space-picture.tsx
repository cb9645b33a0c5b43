import { useMemo } from 'react';
import type { ParamTune } from '#lib/param-tune/contract';
import { count, percent } from '../../../../ui/amounts';
import { Picture } from '../../../../ui/figures/picture';
import { Note } from '../../../../ui/hint';
import { Menu, MenuLink } from '../../../../ui/menu';
import { visible } from '../../../../ui/user-text';
import { settingName } from '../../../runs/parts/setting-words';
import type { Arm } from '../../parts/arms';
import { axesOf, cellsOf, chooseAxes, ordered, scoreSpan, spaceOf, type Axis, type Cell } from './space';
import { SpaceCurve } from './space-curve';
import { SpaceMap } from './space-map';
import { SpaceRows } from './space-rows';

interface Props {
  tune: Pick<ParamTune, 'id' | 'input'>;
  target: string;
  arms: readonly Arm[];
  /** The same as they were read, before live news: their values do not change. */
  read: readonly Arm[];
  /** The arms of all models, whose tints are comparable. */
  all: readonly Arm[];
  /** The parameters that were chosen for the two axes. */
  chosen: { model?: string; x?: string; y?: string };
  open: (arm: Arm) => void;
}

/** The scores of a space: by one parameter, or by two of them. */
export function SpacePicture({ tune, target, arms, read, all, chosen, open }: Props) {
  const axes = useMemo(() => axesOf(read, spaceOf(target, tune.input)), [read, target, tune.input]);
  const span = useMemo(() => scoreSpan(all), [all]);
  const [across, down] = useMemo(() => axesFor(axes, arms, chosen), [axes, arms, chosen]);
  const cells = useMemo(() => across && cellsOf(arms, across, down), [arms, across, down]);
  if (!across || !cells) return null;
  const names = [across, down].flatMap((axis) => (axis ? [settingName(axis.parameter)] : []));
  const drawn = { cells, across, span, open };
  return (
    <Picture
      label={`Score by ${names.join(' and ').toLowerCase()}, ${visible(target.slice(0, 100))}`}
      says={wordsOf({ arms, axes, shown: [across, down], cells })}
      read={<HowToRead isMap={down !== undefined} />}
    >
      {axes.length > 2 && <ChooseAxes tuneId={tune.id} axes={axes} across={across} down={down!} model={chosen.model} />}
      {down ? (
        <SpaceMap {...drawn} down={down} />
      ) : across.isNumeric ? (
        <SpaceCurve {...drawn} />
      ) : (
        <SpaceRows {...drawn} />
      )}
    </Picture>
  );
}

function axesFor(axes: readonly Axis[], arms: readonly Arm[], { x, y }: Props['chosen']): [Axis?, Axis?] {
  if (axes.length < 2) return [axes[0]];
  // Until the search has ended, what matters most may change, and the picture must not.
  const isDecided = arms.some(({ state }) => state === 'recommended');
  const [first, second] = isDecided ? chooseAxes(axes, arms) : ordered(axes[0]!, axes[1]!);
  const named = (wanted: string | undefined): Axis | undefined => axes.find(({ parameter }) => parameter === wanted);
  const across = named(x) ?? (named(y) === first ? second : first);
  const down = named(y);
  if (down && down !== across) return [across, down];
  return [across, across === first ? second : first];
}

const HowToRead = ({ isMap }: { isMap: boolean }) => (
  <Note of="How to read this">
    {isMap
      ? 'Percent; darker is better. A thick ring is recommended, a thin one as good. Hatched: fewer cases, or none.'
      : 'Bars are 95 % intervals. A ring marks the recommended value; hollow dots were measured on fewer cases.'}
  </Note>
);

interface Shown {
  arms: readonly Arm[];
  axes: readonly Axis[];
  shown: readonly (Axis | undefined)[];
  cells: readonly Cell[];
}

/** What the picture leaves out or cannot show by itself. */
function wordsOf({ arms, axes, shown, cells }: Shown): string {
  const measured = arms.filter(({ mean }) => mean !== null);
  const distinct = arms.filter(({ same_as: sameAs }) => sameAs === null).length;
  const means = measured.map(({ mean }) => mean!);
  const left = shown.reduce((sum, axis) => sum + (axis?.left ?? 0), 0);
  const others = axes.filter((axis) => !shown.includes(axis)).map(({ parameter }) => settingName(parameter));
  const isGrouped = shown.some((axis) => axis && axis.placeOf.size > axis.steps.length);
  const isTied = measured.length > 1 && means.every((mean) => Math.abs(mean - means[0]!) < 1e-9);
  return [
    ...(measured.length < distinct ? [`${count(measured.length)} of ${count(distinct)} measured.`] : []),
    ...(isTied ? [`All measured combinations score ${percent(means[0]!)}.`] : []),
    ...(others.length > 0 || isGrouped
      ? [`Each place shows the best of its combinations${others.length > 0 ? `, over ${listOf(others)}` : ''}.`]
      : []),
    ...(left > 0 ? [`${count(left)} more values are only in the list.`] : []),
    ...(cells.every(({ best }) => best?.mean == null) ? ['Nothing measured yet.'] : []),
  ].join(' ');
}

const MAX_NAMES = 4;
const listOf = (names: readonly string[]): string =>
  names.length > MAX_NAMES ? `${count(names.length)} more parameters` : names.join(', ').toLowerCase();

interface Choice {
  tuneId: string;
  axes: readonly Axis[];
  across: Axis;
  down: Axis;
  /** The model that was chosen. */
  model: string | undefined;
}

/** Which two of the parameters are drawn; the choice is in the address. */
const ChooseAxes = ({ across: { parameter: x }, down: { parameter: y }, ...of }: Choice) => (
  <div className="actions">
    <ChooseAxis {...of} name="Across" own={x} searchOf={(one) => ({ x: one, y: one === y ? x : y })} />
    <ChooseAxis {...of} name="Down" own={y} searchOf={(one) => ({ x: one === x ? y : x, y: one })} />
  </div>
);

interface AxisChoice extends Pick<Choice, 'tuneId' | 'axes' | 'model'> {
  name: string;
  /** The parameter that the axis has now. */
  own: string;
  searchOf: (parameter: string) => Props['chosen'];
}

const ChooseAxis = ({ tuneId, axes, model, name, own, searchOf }: AxisChoice) => (
  <Menu
    label={name}
    className="dense"
    button={
      <>
        <span className="muted">{name}:</span> {settingName(own)}
      </>
    }
  >
    {axes
      .filter(({ parameter }) => parameter !== own)
      .map(({ parameter }) => (
        <MenuLink
          key={parameter}
          to="/tunes/$tuneId"
          params={{ tuneId }}
          search={{ model, ...searchOf(parameter) }}
          replace
          resetScroll={false}
        >
          {settingName(parameter)}
        </MenuLink>
      ))}
  </Menu>
);
