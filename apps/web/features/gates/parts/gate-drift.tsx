import type { GateTarget } from '#lib/gate/contract';
import type { SampleDrift } from '#lib/contracts/sample-drift';
import { count, percent } from '../../../ui/amounts';
import { deltaText } from '../../../ui/figures/delta';
import { Table } from '../../../ui/table';
import { ModelName } from '../../providers/parts/model-name';

/** Added samples that do not count: which, since when, and by how much they differ. */
export function GateDrift({ targets }: { targets: readonly GateTarget[] }) {
  const found = targets.flatMap(({ drift = [] }) => drift);
  if (found.length === 0) return null;
  return (
    <div className="notice">
      <p>
        The provider changed while samples were added. Run the baseline and the change again, within one day, and
        measure against the new baseline.
      </p>
      <Table
        label="Samples that differ"
        rows={found}
        keyOf={({ side, target }) => `${side} ${target}`}
        columns={[
          { name: 'Model', className: 'named', cell: ({ target }) => <ModelName target={target} /> },
          { name: 'Side', cell: ({ side }) => side },
          { name: 'Counted', cell: ({ earlier }) => <Part of={earlier} /> },
          { name: 'Not counted', cell: ({ later }) => <Part of={later} /> },
          { name: 'Difference', cell: ({ difference, ci }) => deltaText({ difference, interval: ci }) },
        ]}
      />
    </div>
  );
}

/** Both times, not their distance from now, say why the samples differ. */
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
});

const Part = ({ of: { samples, mean, from } }: { of: SampleDrift['earlier'] }) => (
  <>
    {percent(mean)}, n {count(samples)},{' '}
    <time dateTime={from} className="muted small">
      {MOMENT.format(new Date(from))}
    </time>
  </>
);
