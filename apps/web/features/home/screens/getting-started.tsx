import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ImportAnswer } from '#lib/contracts/import';
import { useAction, type Sent } from '../../../api/action';
import { client } from '../../../api/client';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { suiteHeadsQuery } from '../../suites/api';
import css from './home.module.css';

/** Three ways to start, for a team without runs. */
export function GettingStarted() {
  const suites = useQuery(suiteHeadsQuery);
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const example = useAction(importExample, async ({ suite_id: suite }) => {
    await queryClient.invalidateQueries({ queryKey: keys.suites });
    await navigate({ to: '/runs/new', search: { suite: suite ?? undefined } });
  });
  const hasSuites = (suites.data?.items.length ?? 0) > 0;
  return (
    <section className="empty section" aria-labelledby="begin">
      <h2 id="begin">{hasSuites ? 'No runs yet' : 'Three ways to start'}</h2>
      {hasSuites && (
        <p>
          You already have a suite: <Link to="/runs/new">run it</Link> with some models.
        </p>
      )}
      <ol className={css.beginnings}>
        <li>
          <strong>The example.</strong> A suite of one tool and three cases, ready to run.
          <div>
            <AllowedButton refusal={refusal} disabled={example.isPending} onClick={() => example.mutate('example')}>
              Import the example suite
            </AllowedButton>
          </div>
        </li>
        <li>
          <strong>A file.</strong> A suite as JSON, YAML or CSV, or in the format of another tool.
          <div>
            <Link to="/import" className="button">
              Import a file
            </Link>
          </div>
        </li>
        <li>
          <strong>An MCP server.</strong> Its tools become a suite; you write the cases.
          <div>
            <Link to="/import" search={{ from: 'mcp' }} className="button">
              Import from an MCP server
            </Link>
          </div>
        </li>
      </ol>
      {example.isError && <ErrorNotice error={example.error} />}
    </section>
  );
}

async function importExample(_: string, options: Sent): Promise<ImportAnswer> {
  const file = await client.text('/api/tool-eval/import/example');
  return client.call<ImportAnswer>('POST', '/api/tool-eval/import', file, options);
}
