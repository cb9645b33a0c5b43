import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { insteadOf } from '#lib/contracts/input/nearest';
import { reservedIn } from '#lib/contracts/params';
import { ProblemError, type InputError } from '#lib/contracts/problem';
import type { RunInput } from '#lib/contracts/run';
import type { Prisma } from '#lib/db/connection/prisma';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';

/** Names that are not there are compared with all that are. */
const MOST_COMPARED = 10;
const MOST_KNOWN = 2000;

/**
 * Finds the models that a run names: `provider::model`, `{provider_key, model_id, params}`, or a bare model id that
 * exactly one provider has; and looks that no parameters take from the run what is its own.
 * @throws ProblemError 422 naming what exists
 */
export async function resolveTargets(prisma: Prisma, teamId: string, input: RunInput): Promise<ResolvedTarget[]> {
  const providers = await prisma.provider.findMany({
    where: { team_id: teamId },
    include: { models: true },
    orderBy: { key: 'asc' },
  });
  const errors: InputError[] = reservedIn(input.params, 'params');
  const targets: ResolvedTarget[] = [];
  const fail = (path: string, message: string): void => void errors.push({ path, message });
  let compared = 0;
  const failUnknown = (path: string, what: string, name: string, known: string[], them: string): void =>
    fail(path, compared++ < MOST_COMPARED ? `${what} ${insteadOf(name, known, them)}` : what);

  for (const [index, entry] of input.models.entries()) {
    const path = `/models/${index}`;
    if (typeof entry === 'object') errors.push(...reservedIn(entry.params, 'models', index, 'params'));
    const named = typeof entry === 'string' ? splitName(entry) : { key: entry.provider_key, modelId: entry.model_id };
    const candidates =
      named.key === undefined
        ? providers.filter((p) => p.models.some((m) => m.model_id === named.modelId))
        : providers.filter((p) => p.key === named.key);
    if (candidates.length === 0) {
      if (named.key !== undefined)
        failUnknown(
          path,
          `No provider "${named.key}".`,
          named.key,
          providers.map((p) => p.key),
          "the team's providers",
        );
      else
        failUnknown(
          path,
          `No provider has a model "${named.modelId}".`,
          named.modelId,
          [...new Set(providers.flatMap((p) => p.models.map((m) => m.model_id)))].slice(0, MOST_KNOWN),
          'their models',
        );
      continue;
    }
    if (candidates.length > 1) {
      fail(
        path,
        `Several providers have "${named.modelId}": ` +
          `${candidates.map((p) => `${p.key}::${named.modelId}`).join(', ')}. Name one of these.`,
      );
      continue;
    }
    const provider = candidates[0]!;
    const model = provider.models.find((m) => m.model_id === named.modelId);
    if (!model) {
      failUnknown(
        path,
        `No model "${named.modelId}" at provider "${provider.key}".`,
        named.modelId,
        provider.models.map((m) => m.model_id),
        'its models',
      );
      continue;
    }
    if (targets.some((target) => target.providerKey === provider.key && target.modelId === model.model_id))
      fail(path, `"${provider.key}::${model.model_id}" is listed before.`);
    for (const { message } of reservedIn(parseJson(model.default_params) as JsonObject))
      fail(path, inDefaults(provider.key, model.model_id, message));
    targets.push({
      providerId: provider.id,
      providerKey: provider.key,
      modelId: model.model_id,
      laneId: model.lane_id ?? provider.lane_id,
      priced: model.input_cost_per_mtok !== null && model.output_cost_per_mtok !== null,
      params: typeof entry === 'string' ? {} : entry.params,
      systemPrompt: promptFor(input.system_prompt, `${provider.key}::${model.model_id}`),
    });
  }
  if (typeof input.system_prompt === 'object' && input.system_prompt !== null) {
    const names = new Set(targets.map((target) => `${target.providerKey}::${target.modelId}`));
    for (const key of Object.keys(input.system_prompt)) {
      if (key !== '*' && !names.has(key))
        failUnknown(
          '/system_prompt',
          `"${key}" is no target of this run; "*" stands for the rest.`,
          key,
          [...names],
          'its targets',
        );
    }
  }
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
  return targets;
}

/** A model may be older than the rule. */
export const inDefaults = (providerKey: string, modelId: string, message: string): string =>
  `In the default_params of "${providerKey}::${modelId}" ${message} An owner takes it out with PATCH ` +
  `/api/providers/${providerKey}.`;

function splitName(name: string): { key: string | undefined; modelId: string } {
  const at = name.indexOf('::');
  return at < 0 ? { key: undefined, modelId: name } : { key: name.slice(0, at), modelId: name.slice(at + 2) };
}

const promptFor = (prompts: RunInput['system_prompt'], target: string): string | null =>
  typeof prompts === 'string' || prompts === null ? prompts : (prompts[target] ?? prompts['*'] ?? null);
