import { Link } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import type { LabelName } from '#lib/contracts/label';
import type { Calibration, JudgeReport } from '#lib/judge/contract';
import { count, percent } from '../../../ui/amounts';
import type { ReportSearch } from '../address';
import css from './judge.module.css';

interface Cell {
  n: number;
  isAgreement: boolean;
  /** The judgements behind it. */
  search?: ReportSearch;
}

interface Agreement {
  /** What is compared, for screen readers. */
  label: string;
  /** Who or what the judge is compared with. */
  other: string;
  columns: readonly string[];
  rows: readonly { name: string; cells: readonly Cell[] }[];
  reportId?: string;
}

/** How often each opinion of the judge met each other one: agreement is tinted on the diagonal. */
function AgreementTable({ label, other, columns, rows, reportId }: Agreement) {
  const cells = rows.flatMap((row) => row.cells);
  const all = sumOf(cells);
  const agreed = sumOf(cells.filter(({ isAgreement }) => isAgreement));
  if (all === 0) return null;
  return (
    <figure className={css.agreement} aria-label={label}>
      <p>
        <strong>{percent(agreed / all)}</strong> agree: {count(agreed)} of {count(all)}
      </p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="colgroup" colSpan={columns.length} className="muted">
              {other}
            </th>
          </tr>
          <tr>
            <td className="muted">Judge</td>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells: inRow }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {inRow.map((cell, place) => (
                <td
                  key={columns[place]}
                  className={cell.isAgreement ? css.agrees : css.differs}
                  style={{ '--tint': `${Math.round((cell.n / all) * 60)}%` } as CSSProperties}
                >
                  <CellText cell={cell} all={all} reportId={reportId} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function CellText({ cell: { n, search }, all, reportId }: { cell: Cell; all: number; reportId: string | undefined }) {
  const words = (
    <>
      <strong>{count(n)}</strong> <span className={css.share}>{percent(n / all)}</span>
    </>
  );
  if (n === 0 || search === undefined || reportId === undefined) return words;
  return (
    <Link to="/judge/reports/$reportId" params={{ reportId }} search={search} hash="judgements">
      {words}
    </Link>
  );
}

const sumOf = (cells: readonly Cell[]): number => cells.reduce((sum, { n }) => sum + n, 0);

const LEVELS: readonly LabelName[] = ['correct', 'acceptable', 'wrong'];
const isOk = (level: LabelName): boolean => level !== 'wrong';

/** The judge against the labels that count. Levels that neither has used are left out. */
export function PeopleTable({ table }: Pick<Calibration, 'table'>) {
  const levels = LEVELS.filter(
    (level) => level !== 'acceptable' || table.some(({ judged, label }) => [judged, label].includes(level)),
  );
  return (
    <AgreementTable
      label="The judge against people"
      other="People"
      columns={levels}
      rows={levels.map((judged) => ({
        name: judged,
        cells: levels.map((label) => ({
          n: table.find((one) => one.judged === judged && one.label === label)?.n ?? 0,
          isAgreement: isOk(judged) === isOk(label),
        })),
      }))}
    />
  );
}

/** The judge against pass and fail, over all models of a report. */
export function VerdictTable({ report: { id, targets } }: { report: Pick<JudgeReport, 'id' | 'targets'> }) {
  const of = (n: (target: JudgeReport['targets'][number]) => number): number =>
    targets.reduce((sum, target) => sum + n(target), 0);
  const ok = of(({ counts: { correct, acceptable } }) => correct + acceptable);
  const [wrong, kinder, stricter] = [of(({ counts }) => counts.wrong), of((t) => t.kinder), of((t) => t.stricter)];
  return (
    <AgreementTable
      label="The judge against pass and fail"
      other="Score"
      columns={['passed', 'failed']}
      reportId={id}
      rows={[
        {
          name: 'correct or acceptable',
          cells: [
            { n: ok - kinder, isAgreement: true },
            { n: kinder, isAgreement: false, search: { agreement: 'kinder' } },
          ],
        },
        {
          name: 'wrong',
          cells: [
            { n: stricter, isAgreement: false, search: { agreement: 'stricter' } },
            { n: wrong - stricter, isAgreement: true },
          ],
        },
      ]}
    />
  );
}
