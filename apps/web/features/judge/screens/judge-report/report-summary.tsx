import type { JudgeReport } from '#lib/judge/contract';
import { UserText } from '../../../../ui/user-text';

const MAX_SHOWN = 50;

/** The judge's summary. */
export function ReportSummary({ report }: { report: JudgeReport }) {
  const parts = [
    ['Strengths', report.strengths],
    ['Weaknesses', report.weaknesses],
    ['Recommendations', report.recommendations],
  ] as const;
  if (parts.every(([, sentences]) => sentences.length === 0)) return null;
  return (
    <section aria-labelledby="summary" className="section">
      <h2 id="summary">Summary by the judge</h2>
      <div className="summary">
        {parts.map(([name, sentences]) => (
          <div key={name}>
            <h3>{name}</h3>
            {sentences.length === 0 && <p className="muted">None.</p>}
            <ul>
              {sentences.slice(0, MAX_SHOWN).map((sentence, index) => (
                <li key={index}>
                  <UserText text={sentence} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
