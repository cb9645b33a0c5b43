import { Module, type DynamicModule } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import { ComparisonsModule } from './comparisons/comparisons.module.js';
import { DeviceLoginsModule } from './device-logins/device-logins.module.js';
import { ExperimentsModule } from './experiments/experiments.module.js';
import { GatesModule } from './gates/gates.module.js';
import { TryOutsModule } from './try-outs/try-outs.module.js';
import { ParamTunesModule } from './param-tunes/param-tunes.module.js';
import { PromptTunesModule } from './prompt-tunes/prompt-tunes.module.js';
import { HealthModule } from './health/health.module.js';
import { HomeModule } from './home/home.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { JudgeModule } from './judge/judge.module.js';
import { KeptModule } from './kept/kept.module.js';
import { LabelsModule } from './judge/labels.module.js';
import { LanesModule } from './lanes/lanes.module.js';
import { LiveModule } from './live/live.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PlatformModule, type PlatformOptions } from './platform/platform.module.js';
import { PromptsModule } from './prompts/prompts.module.js';
import { ProvidersModule } from './providers/providers.module.js';
import { RecordedModule } from './recorded/recorded.module.js';
import { ResultsModule } from './results/results.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SearchModule } from './search/search.module.js';
import { SettingsModule } from './settings/settings.module.js';
import { SpendingModule } from './spending/spending.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SuitesModule } from './suites/suites.module.js';
import { SystemModule } from './system/system.module.js';
import { TeamsModule } from './teams/teams.module.js';

/** The API's root module. The OpenAPI document lists routes in the order of these imports. */
@Module({
  imports: [
    TeamsModule,
    DeviceLoginsModule,
    SignInModule,
    KeptModule,
    SearchModule,
    HomeModule,
    ProvidersModule,
    SuitesModule,
    ImportsModule,
    McpModule,
    RecordedModule,
    RunsModule,
    TryOutsModule,
    ResultsModule,
    LabelsModule,
    JobsModule,
    ComparisonsModule,
    ExperimentsModule,
    GatesModule,
    ParamTunesModule,
    PromptTunesModule,
    PromptsModule,
    JudgeModule,
    MetricsModule,
    SettingsModule,
    SpendingModule,
    AuditModule,
    LanesModule,
    SystemModule,
    HealthModule,
    LiveModule,
  ],
})
export class AppModule {
  static forRoot(options: PlatformOptions): DynamicModule {
    return { module: AppModule, imports: [PlatformModule.forRoot(options)] };
  }
}
