import 'reflect-metadata';
import type { z } from 'zod';
import { GateInput, GateRunInput } from '#lib/gate/contract';
import { McpImportInput } from '#lib/contracts/mcp';
import { ParamPresetInput } from '#lib/param-tune/contract';
import { ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { newId } from '#lib/runtime/ids';
import { GatesController } from '../gates/gates.controller.js';
import { McpController } from '../mcp/mcp.controller.js';
import { ParamPresetsController } from '../param-tunes/param-presets.controller.js';
import { ProvidersController } from '../providers/providers.controller.js';
import { LARGE_BODIES } from './large-bodies.js';
import { USUAL_BODY_BYTES } from './body-bounds.js';
import type { JsonBody } from './decorators.js';

/** The JSON body options that the decorators of a route set. */
const bodyOf = (route: object): JsonBody | undefined =>
  Reflect.getMetadataKeys(route)
    .map((key) => (Reflect.getMetadata(key, route) as { json?: JsonBody } | undefined)?.json)
    .find((json) => json !== undefined);

const models = Array.from({ length: 1000 }, (_, n) => ({
  id: `${'organisation/'.repeat(8)}model-${n}`,
  name: `${'The model '.repeat(10)}${n}`,
  input_cost_per_mtok: 1.25,
  output_cost_per_mtok: 10.5,
  limits: { requests_per_minute: 500, tokens_per_minute: 100_000, max_concurrency: 10 },
}));
const tools = Array.from({ length: 200 }, (_, n) => ({
  name: `tool_${n}`,
  description: 'd'.repeat(3000),
  inputSchema: { type: 'object', properties: {} },
}));

it.each<[what: string, route: object, schema: z.ZodType, body: object]>([
  [
    'a provider of a thousand models',
    ProvidersController.prototype.create,
    ProviderInput,
    { key: 'router', base_url: 'https://router.example/v1', models },
  ],
  ['a thousand models of a provider', ProvidersController.prototype.update, ProviderPatch, { models }],
  [
    'a gate for many models with long names',
    GatesController.prototype.create,
    GateInput,
    {
      name: 'main',
      suite_id: newId(),
      baseline: { experiment_id: newId() },
      models: Array.from({ length: 100 }, (_, n) => `${n}${'模'.repeat(290)}`),
    },
  ],
  [
    'a preset of many long values',
    ParamPresetsController.prototype.create,
    ParamPresetInput,
    { name: 'stops', search_space: { stop: Array.from({ length: 20 }, (_, n) => `${n}${'s'.repeat(9000)}`) } },
  ],
  ['tools of a discovery', McpController.prototype.import, McpImportInput, { tools }],
  [
    'a gate run with long texts for the tools of its suite',
    GatesController.prototype.run,
    GateRunInput,
    {
      config: {
        system_prompt: 's'.repeat(50_000),
        models: ['a::b'],
        base_prompt: 's'.repeat(50_000),
        params: { x: 'p'.repeat(200_000) },
      },
    },
  ],
])('%s fits the body limit of its route', (_what, route, schema, body) => {
  expect(schema.safeParse(body).error?.issues).toBeUndefined();
  const { length } = Buffer.from(JSON.stringify(body));
  expect(length).toBeGreaterThan(USUAL_BODY_BYTES);
  expect(length).toBeLessThan(bodyOf(route)?.bytes ?? USUAL_BODY_BYTES);
  expect(LARGE_BODIES[bodyOf(route)!.schema!]).toBe(schema);
});
