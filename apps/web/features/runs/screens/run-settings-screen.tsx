import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Run } from '#lib/contracts/run';
import { count } from '../../../ui/amounts';
import { SettingsList } from '../../../ui/details';
import { Section } from '../../../ui/query-boundary';
import { UserBlock, UserText } from '../../../ui/user-text';
import { versionQuery } from '../../suites/api';
import { runQuery } from '../api';
import { settingLines, systemPromptsOf } from '../parts/settings-in-words';
import { RunHead } from './run/run-head';
import css from './runs.module.css';

/** How a run was made: what differs from the defaults, its prompts and its tools. */
export function RunSettingsScreen() {
  const { runId } = useParams({ from: '/signed-in/runs/$runId/settings' });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const settings = settingLines(run.config);
  const prompts = systemPromptsOf(run.config);
  return (
    <>
      <RunHead run={run} />
      <section aria-labelledby="changed" className="section">
        <h2 id="changed">Settings</h2>
        {settings.length > 0 ? <SettingsList settings={settings} /> : <p>All settings are defaults.</p>}
      </section>
      {prompts.map(([title, text]) => (
        <section key={title} className="section">
          <h2>{title}</h2>
          <UserBlock text={text} />
        </section>
      ))}
      <Section id="tools" title="Suite and tools" rows={8}>
        <Tools run={run} />
      </Section>
    </>
  );
}

function Tools({ run: { suite } }: { run: Run }) {
  const { data } = useSuspenseQuery(versionQuery(suite.id, String(suite.version)));
  return (
    <>
      <p>
        <Link to="/suites/$suiteId/versions/$version" params={{ suiteId: suite.id, version: String(suite.version) }}>
          <UserText text={suite.name} max={200} />, version {suite.version}
        </Link>
        : {count(data.tools.length)} {data.tools.length === 1 ? 'tool' : 'tools'}
      </p>
      <ul className={css.tools}>
        {data.tools.map(({ function: { name } }) => (
          <li key={name}>
            <code>
              <UserText text={name} max={100} />
            </code>
          </li>
        ))}
      </ul>
      {data.system_prompt != null && data.system_prompt !== '' && (
        <>
          <h3>Its system prompt</h3>
          <UserBlock text={data.system_prompt} />
        </>
      )}
    </>
  );
}
