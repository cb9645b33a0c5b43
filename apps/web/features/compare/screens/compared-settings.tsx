import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { ConversationFigure } from '#lib/contracts/values/conversations';
import { DEFAULT_MARGIN } from '#lib/contracts/values/comparison';
import { Menu, MenuItem } from '../../../ui/menu';
import { visible } from '../../../ui/user-text';
import { runQuery } from '../../runs/api';
import { FIGURE_WORDS } from '../../runs/parts/figure-words';
import { compareSearch, withComparison, type CompareSearch } from '../address';
import css from '../parts/compare.module.css';

/** What is compared, and the smallest difference that matters, on one line. */
export function ComparedSettings({ search, children }: { search: CompareSearch; children?: ReactNode }) {
  const navigate = useNavigate();
  const change = (changed: Partial<CompareSearch>): void =>
    void navigate({ to: '/compare', search: withComparison(search, { other: search.other, ...changed }) });
  const measures = useMeasures(search);
  const shown = visible((search.measure ?? 'overall').slice(0, 60));
  return (
    <div className={css.settings}>
      <div className={css.setting}>
        <span className="label">Measure</span>
        <Menu label="Measure" button={<>{shown}</>}>
          {measures.map(([name, words]) => (
            <MenuItem key={name} onSelect={() => change({ measure: name === 'overall' ? undefined : name })}>
              {words}
            </MenuItem>
          ))}
        </Menu>
      </div>
      <MarginField key={search.margin} margin={search.margin} change={change} />
      <label className="check">
        <input
          type="checkbox"
          checked={search.extended ?? false}
          onChange={({ target }) => change({ extended: target.checked || undefined })}
        />
        Added samples
      </label>
      {children}
    </div>
  );
}

/** "conversation.state: state", or the name of a metric. */
function measureWords(name: string): string {
  const words = Object.hasOwn(FIGURE_WORDS, name) ? FIGURE_WORDS[name as ConversationFigure] : undefined;
  return `${visible(name.slice(0, 100))}${words === undefined ? '' : `: ${words.toLowerCase()}`}`;
}

/** The measures that all of the runs have. */
function useMeasures({ runs = [], measure }: CompareSearch): [name: string, words: string][] {
  const read = useQueries({ queries: runs.map((id) => runQuery(id)) });
  const metrics = read.map(({ data }) => new Set(data?.summaries.flatMap((summary) => Object.keys(summary.metrics))));
  const common = [...(metrics[0] ?? [])].filter((name) => metrics.every((names) => names.has(name)));
  const known = [...common, ...(measure && !common.includes(measure) ? [measure] : [])];
  return [
    ['overall', 'overall: the mean score'],
    ['passed', 'passed: the share of samples that pass'],
    ...known
      .filter((name) => name !== 'passed' && name !== 'conversation.fabricated')
      .map((name): [string, string] => [name, measureWords(name)]),
  ];
}

interface MarginProps {
  margin: string | undefined;
  change: (changed: Partial<CompareSearch>) => void;
}

function MarginField({ margin, change }: MarginProps) {
  const [typed, setTyped] = useState(margin ?? String(DEFAULT_MARGIN));
  const read = compareSearch({ margin: typed.trim() }).margin;
  const take = (event?: FormEvent): void => {
    event?.preventDefault();
    const next = read === String(DEFAULT_MARGIN) ? undefined : read;
    if (read !== undefined && next !== margin) change({ margin: next });
  };
  return (
    <form className={css.setting} onSubmit={take}>
      <label htmlFor="margin" title="The smallest difference that matters: 0.02 is two points">
        Margin
      </label>
      <input
        id="margin"
        inputMode="decimal"
        size={6}
        maxLength={10}
        autoComplete="off"
        aria-describedby="margin-notes"
        aria-invalid={read === undefined || undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => take()}
      />
      <div id="margin-notes" className="small">
        {read === undefined ? (
          <div className="field-error">Enter a share from 0 to 1 with up to four decimals.</div>
        ) : (
          <span className="muted">{pointsOf(read)}</span>
        )}
      </div>
    </form>
  );
}

/** "2 points". */
function pointsOf(share: string): string {
  const points = Number((Number(share) * 100).toFixed(2));
  return `${points} ${points === 1 ? 'point' : 'points'}`;
}
