import type { SuiteVersion } from '#lib/contracts/suite-version';
import { UserText, UserBlock, UserLine } from '../../../../ui/user-text';

/** The settings and tools of a version. */
export function PinnedSettings({ suite }: { suite: SuiteVersion }) {
  const {
    version,
    description,
    system_prompt: prompt,
    pass_threshold: threshold,
    tools,
    test_cases_count: cases,
  } = suite;
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings and tools of version {version}</h2>
      <dl className="pinned">
        <dt>Description</dt>
        <dd>{description ? <UserBlock text={description} /> : <span className="muted">none</span>}</dd>
        <dt>System prompt</dt>
        <dd>{prompt ? <UserBlock text={prompt} /> : <span className="muted">none</span>}</dd>
        <dt>Pass threshold</dt>
        <dd>{threshold}</dd>
        <dt>Cases</dt>
        <dd>{cases.toLocaleString('en')}</dd>
        <dt>Tools</dt>
        <dd>
          <ul className="pinned-tools">
            {tools.map(({ function: tool }) => (
              <li key={tool.name}>
                <details>
                  <summary>
                    <span className="changed-case">
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
