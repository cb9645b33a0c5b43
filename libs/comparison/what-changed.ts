import type { Change } from '#lib/contracts/comparison';
import type { JsonObject } from '#lib/contracts/json/json';
import type { RescoreOptions } from '#lib/contracts/rescore';
import type { RecordedConfig, RunConfig } from '#lib/contracts/run';
import type { Tool } from '#lib/contracts/tool';

/** How a run was made: what may be the reason for a difference. */
export interface RunTreatment {
  config: RunConfig | RecordedConfig;
  targets: { target: string; params: JsonObject; systemPrompt: string | null }[];
  suite: {
    id: string;
    version: number;
    systemPrompt: string | null;
    tools: Tool[];
    passThreshold: number;
  };
  /** The options of the rescore whose verdicts are compared; null for the first verdicts. */
  rescore: RescoreOptions | null;
  /** The versions of the scoring that made the verdicts; several after a resume with a later release. */
  scoringVersions: number[];
}

/** The settings of two runs that differ. Long texts are cut to where they begin to differ. */
export function whatChanged(a: RunTreatment, b: RunTreatment): Change[] {
  throw new Error(`not yet: ${a.suite.id} ${b.suite.id}`);
}
