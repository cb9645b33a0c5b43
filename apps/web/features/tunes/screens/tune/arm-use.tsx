import { Link } from '@tanstack/react-router';
import { toText, type Json } from '#lib/contracts/json/json';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import { CopyButton } from '../../../../ui/copy-button';
import { UserBlock } from '../../../../ui/user-text';
import { SettingsList } from '../../../../ui/settings-list';
import { runCommand } from './arm-settings';

/** The values of an arm, and how to run it: as a command, or as a new run. */
export function ArmUse({ tune, arm }: { tune: ParamTune; arm: TuneArm }) {
  const { suite_id: suiteId, input } = tune;
  const command = suiteId === null ? undefined : runCommand({ suiteId, target: arm.target, config: arm.config, input });
  const values = Object.entries(arm.config as Record<string, Json>);
  const from = arm.runs[0]?.eval_id;
  return (
    <>
      {values.length === 0 && <p>Same as the base.</p>}
      <SettingsList settings={values.map(([name, value]) => [name, toText(value)])} />
      {suiteId === null ? (
        <p className="muted">Its suite was deleted: it cannot be run again.</p>
      ) : (
        <div className="actions">
          {command !== undefined && <CopyButton text={command} label="Copy command" />}
          {from !== undefined && (
            <Link to="/runs/new" search={{ from }} className="button dense">
              Run it
            </Link>
          )}
          {tune.promoted_eval_id === null && from !== undefined && (
            <span className="muted small">Choose an experiment there to compare it with others.</span>
          )}
        </div>
      )}
      {command !== undefined && suiteId !== null && (
        <details>
          <summary>Command</summary>
          <UserBlock text={command} code />
        </details>
      )}
    </>
  );
}
