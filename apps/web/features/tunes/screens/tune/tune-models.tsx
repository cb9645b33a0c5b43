import { useSearch } from '@tanstack/react-router';
import type { JsonObject } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { deltaText } from '../../../../ui/figures/delta';
import { Table, type Column } from '../../../../ui/table';
import { Tabs } from '../../../../ui/tabs';
import { UserLine } from '../../../../ui/user-text';
import { ModelName, useModelNames } from '../../../providers/parts/model-name';
import { OutcomeMark } from '../../parts/tune-outcome';
import { configText } from './arm-settings';
import css from '../tunes.module.css';

type Model = ParamTune['targets'][number];

interface Props {
  tune: ParamTune;
  /** The model whose combinations are shown. */
  shown: Model;
}

/** What was found for each model, and links that show the combinations of one. */
export function TuneModels({ tune: { id, targets }, shown }: Props) {
  const { model: chosen, ...axes } = useSearch({ from: '/signed-in/tunes/$tuneId' });
  const names = useModelNames(targets.map(({ target }) => target));
  return (
    <>
      {targets.some(({ recommended, outcome }) => recommended !== null || outcome !== null) && (
        <Table
          label="Recommended for each model"
          className={css.answers}
          hasCards
          rows={targets}
          keyOf={({ target }) => target}
          columns={COLUMNS}
        />
      )}
      <Tabs
        label="Models"
        items={targets.map((one, place) => ({
          to: '/tunes/$tuneId',
          params: { tuneId: id },
          search: { ...axes, model: one === shown ? chosen : place === 0 ? undefined : one.target },
          label: <ModelName target={one.target} of={names} />,
          bySearch: true,
        }))}
      />
    </>
  );
}

const COLUMNS: Column<Model>[] = [
  { name: 'Model', className: 'named', isHeading: true, cell: ({ target }) => <ModelName target={target} /> },
  {
    name: 'Recommended',
    cell: ({ recommended }) =>
      recommended ? <UserLine text={configText(recommended.config as JsonObject)} /> : <Missing />,
  },
  {
    name: 'Against the base',
    cell: ({ holdout }) =>
      holdout?.difference == null ? (
        <Missing />
      ) : (
        <span className="nowrap">{deltaText({ difference: holdout.difference, interval: holdout.ci })}</span>
      ),
  },
  { name: 'Outcome', cell: ({ outcome }) => (outcome === null ? <Missing /> : <OutcomeMark outcome={outcome} />) },
];

const Missing = () => <span className="muted">–</span>;
