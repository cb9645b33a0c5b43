import { Fragment } from 'react';
import type { Summary } from '#lib/contracts/summary';
import { CONVERSATION_FIGURES } from '#lib/contracts/values/conversations';
import { Note } from '../../../ui/hint';
import { percent, rangeText } from '../../../ui/amounts';
import { Table } from '../../../ui/table';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import type { ModelNames } from '../../providers/parts/model-names';
import { FIGURE_WORDS } from './figure-words';
import css from './figures.module.css';

interface Props {
  summaries: readonly Summary[];
  names: ModelNames;
}

/** The parts of the score of conversations by model; nothing for a run without conversations. */
export function ConversationFigures({ summaries, names }: Props) {
  const figures = CONVERSATION_FIGURES.filter((name) =>
    summaries.some(({ metrics }) => (metrics[name]?.scored ?? 0) > 0),
  );
  if (figures.length === 0) return null;
  return (
    <section aria-labelledby="conversations" className="section">
      <h2 id="conversations">
        <Note of="Conversations">
          How much of each goal was reached: calls, the state at the end, the answer. Recovered is the share that
          reached the goal after an error; fabricated the share whose answer claims what the state does not hold (lower
          is better).
        </Note>
      </h2>
      <Table
        label="Figures of conversations by model"
        hasCards
        rows={summaries}
        keyOf={({ target }) => target}
        columns={[
          {
            name: 'Model',
            head: names.prefix === '' ? 'Model' : <UserLine text={`${names.prefix} …`} />,
            isHeading: true,
            className: 'named',
            cell: ({ target }) => <ModelName target={target} of={names} />,
          },
          ...figures.map((name) => ({
            name: FIGURE_WORDS[name],
            cell: ({ metrics }: Summary) => <Figure of={metrics[name]} />,
          })),
        ]}
      />
    </section>
  );
}

const MEANING = 'Mean, 95 % interval over cases, and the number of scored results';

function Figure({ of }: { of: Summary['metrics'][string] | undefined }) {
  if (!of || of.mean === null) return <span className="muted">none</span>;
  // Seven of them fit beside each other only if they wrap, but no interval is broken.
  const parts = rangeText(of).split(', ');
  return (
    <span title={MEANING}>
      {percent(of.mean)}
      {parts.map((part, at) => (
        <Fragment key={part}>
          {' '}
          <span className={`muted small ${css.whole}`}>
            {part}
            {at < parts.length - 1 && ','}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
