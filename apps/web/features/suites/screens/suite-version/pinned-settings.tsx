import type { SuiteVersion } from '#lib/contracts/suite-version';
import { JsonView } from '../../../../ui/json-view';
import { UserBlock, UserLine, UserText } from '../../../../ui/user-text';
import css from './suite-version.module.css';

/** The settings and tools of a version. */
export function PinnedSettings({ suite }: { suite: SuiteVersion }) {
  const {
    version,
    description,
    system_prompt: prompt,
    pass_threshold: threshold,
    conversation,
    tools,
    test_cases_count: cases,
  } = suite;
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings and tools of version {version}</h2>
      <dl className={css.pinned}>
        <dt>Description</dt>
        <dd>{description ? <UserBlock text={description} /> : <span className="muted">none</span>}</dd>
        <dt>System prompt</dt>
        <dd>{prompt ? <UserBlock text={prompt} /> : <span className="muted">none</span>}</dd>
        <dt>Pass threshold</dt>
        <dd>{threshold}</dd>
        {conversation !== null && (
          <>
            <dt>Conversations</dt>
            <dd>
              <JsonView value={conversation} open={1} />
            </dd>
          </>
        )}
        <dt>Cases</dt>
        <dd>{cases.toLocaleString('en')}</dd>
        <dt>Tools</dt>
        <dd>
          <ul className={css.unfolding}>
            {tools.map(({ function: tool }) => (
              <li key={tool.name}>
                <details>
                  <summary>
                    <span className={css.summary}>
                      <code>
                        <UserText text={tool.name} max={100} />
                      </code>
                      <span className="muted small">
                        <UserLine text={tool.description ?? ''} />
                      </span>
                    </span>
                  </summary>
                  <UserBlock code text={JSON.stringify(tool, null, 2)} />
                </details>
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </section>
  );
}
