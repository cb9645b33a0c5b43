import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { Section } from '../../../../ui/query-boundary';
import { visible } from '../../../../ui/user-text';
import { confusionQuery } from '../../api';
import { ConfusionTable } from '../../parts/confusion';
import { Counted } from '../../parts/counted';
import { ResultsLink } from '../../parts/run-link';

const ROWS = 6;

/** Which tools were called where others were expected. Each number links to its results. */
export function RunConfusion({ run }: { run: Run }) {
  const { confusion: asked } = useSearch({ from: '/signed-in/runs/$runId' });
  const model = run.targets.find(({ target }) => target === asked)?.target;
  const navigate = useNavigate();
  const choose = (target: string): void =>
    void navigate({
      to: '/runs/$runId',
      params: { runId: run.id },
      search: target === '' ? {} : { confusion: target },
      replace: true,
      resetScroll: false,
    });
  const models = run.targets.length > 1 && (
    <select
      aria-label="Model of the table"
      className="bounded"
      value={model ?? ''}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">all models</option>
      {run.targets.map(({ target }) => (
        <option key={target} value={target}>
          {visible(target.slice(0, 300))}
        </option>
      ))}
    </select>
  );
  return (
    <Section id="confusion" title="Expected and called tools" action={models}>
      <Counted run={run} query={confusionQuery(run.id, model)} rows={ROWS}>
        {(confusion) =>
          confusion.expected.length === 0 ? (
            <p className="muted">No result has a score.</p>
          ) : (
            <>
              <p>
                Scored results by expected and called tool. Expected calls are faint; for the others, the stronger the
                colour, the larger the share of the row. A case that accepts several tools counts in the row of each
                tool and in the row of all of them together.
              </p>
              <ConfusionTable
                confusion={confusion}
                link={({ expected, called }, label, n) => (
                  <ResultsLink
                    runId={run.id}
                    search={{ ...(model !== undefined && { model: [model] }), tool: [expected], called: [called] }}
                    label={label}
                  >
                    {n}
                  </ResultsLink>
                )}
              />
            </>
          )
        }
      </Counted>
    </Section>
  );
}
