import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { findReservedParams } from '#lib/contracts/params';
import { ProblemError, type InputError } from '#lib/contracts/input/problem';
import type { RunInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import { ProviderRepository, type StoredProvider as Provider } from '#lib/db/catalogue/providers';
import type { Pool } from '#lib/db/connection/pool';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';

/** Unknown names that are compared with all known ones to suggest the nearest. */
const MAX_SUGGESTIONS = 10;
/** How long a provider counts as one that reports its charges. */
const REMEMBERED_DAYS = 31;
/** Maximum number of the team's model ids that an unknown one is compared with. */
const MAX_COMPARED = 2000;

/**
 * Finds the models that a run names: `provider::model`, `{provider_key, model_id, params}`, or a bare model id that
 * exactly one provider has. Refuses parameters that the run sets itself.
 * @throws ProblemError 422 that lists the existing names
 */
export async function resolveTargets(
  pool: Pool,
  teamId: string,
  input: Pick<RunInput, 'models' | 'params' | 'system_prompt'>,
): Promise<ResolvedTarget[]> {
  const providers = await new ProviderRepository(pool, teamId).all();
  const faults = new Faults(findReservedParams(input.params, 'params'));
  const targets: ResolvedTarget[] = [];
  for (const [index, entry] of input.models.entries()) {
    const path = `/models/${index}`;
    if (typeof entry === 'object') faults.errors.push(...findReservedParams(entry.params, 'models', index, 'params'));
    const found = findModel(providers, typeof entry === 'string' ? splitName(entry) : toName(entry));
    if ('message' in found) {
      faults.add(path, found);
      continue;
    }
    const { provider, model } = found;
    const name = `${provider.key}::${model.model_id}`;
    if (targets.some((target) => targetName(target) === name)) faults.add(path, duplicateFault(name));
    for (const { message } of findReservedParams(parseJson(model.default_params) as JsonObject))
      faults.add(path, { message: inDefaultParams(provider.key, model.model_id, message) });
    targets.push({
      providerId: provider.id,
      providerKey: provider.key,
      modelId: model.model_id,
      laneId: model.lane_id ?? provider.lane_id,
      priced: model.input_cost_per_mtok !== null && model.output_cost_per_mtok !== null,
      params: typeof entry === 'string' ? {} : entry.params,
      systemPrompt: systemPromptFor(input.system_prompt, name),
    });
  }
  await noteReportedCosts(pool, teamId, targets);
  for (const fault of unusedPrompts(input.system_prompt, targets)) faults.add('/system_prompt', fault);
  faults.throwAny();
  return targets;
}

/** A model without prices also has known costs if its provider recently reported its charges. */
async function noteReportedCosts(pool: Pool, teamId: string, targets: ResolvedTarget[]): Promise<void> {
  const unpriced = targets.filter(({ priced }) => !priced);
  if (unpriced.length === 0) return;
  const { rows: costly } = await pool.query<{ name: string }>(
    `SELECT DISTINCT u.name
     FROM daily_spending s
       JOIN unnest($1::text[], $2::text[], $3::text[]) AS u (provider_key, model_id, name)
         USING (provider_key, model_id)
     WHERE s.team_id = $4 AND s.day > (now() AT TIME ZONE 'UTC')::date - $5::int AND s.cost_reported > 0`,
    [
      unpriced.map(({ providerKey }) => providerKey),
      unpriced.map(({ modelId }) => modelId),
      unpriced.map(targetName),
      teamId,
      REMEMBERED_DAYS,
    ],
  );
  const names = new Set(costly.map(({ name }) => name));
  for (const target of unpriced) target.priced = names.has(targetName(target));
}

/**
 * Finds the full names of models, in order.
 * @param others names that are accepted unchanged
 * @throws ProblemError 422 that lists the existing names
 */
export async function resolveNames(
  pool: Pool,
  teamId: string,
  names: readonly string[],
  others: ReadonlySet<string>,
): Promise<string[]> {
  const providers = await new ProviderRepository(pool, teamId).all();
  const faults = new Faults([]);
  const resolved: string[] = [];
  for (const [index, name] of names.entries()) {
    const found = others.has(name) ? undefined : findModel(providers, splitName(name));
    if (found && 'message' in found) {
      faults.add(`/models/${index}`, found);
      continue;
    }
    const full = found ? `${found.provider.key}::${found.model.model_id}` : name;
    if (resolved.includes(full)) faults.add(`/models/${index}`, duplicateFault(full));
    resolved.push(full);
  }
  faults.throwAny();
  return resolved;
}

interface Fault {
  message: string;
  /** Candidates for the suggestion when a name does not exist. */
  unknown?: { name: string; known: string[]; of: string };
}

class Faults {
  #suggestions = 0;

  constructor(readonly errors: InputError[]) {}

  add(path: string, { message, unknown }: Fault): void {
    const suggests = unknown && this.#suggestions++ < MAX_SUGGESTIONS;
    const suggestion = suggests ? ` ${suggestNames(unknown.name, unknown.known, unknown.of)}` : '';
    this.errors.push({ path, message: message + suggestion });
  }

  throwAny(): void {
    if (this.errors.length) throw new ProblemError(422, this.errors[0]!.message, this.errors).as('unknown_model');
  }
}

const duplicateFault = (name: string): Fault => ({ message: `"${name}" is listed twice.` });

interface ModelName {
  /** Undefined for a bare model id. */
  key: string | undefined;
  modelId: string;
}

function findModel(
  providers: readonly Provider[],
  { key, modelId }: ModelName,
): { provider: Provider; model: Provider['models'][number] } | Fault {
  const candidates = providers.filter((provider) =>
    key === undefined ? provider.models.some((model) => model.model_id === modelId) : provider.key === key,
  );
  const [provider, ...others] = candidates;
  if (!provider) return key === undefined ? unknownModel(providers, modelId) : unknownProvider(providers, key);
  if (others.length > 0) {
    const names = candidates.map((candidate) => `${candidate.key}::${modelId}`).join(', ');
    return { message: `Several providers have "${modelId}": ${names}. Use one of these names.` };
  }
  const model = provider.models.find((candidate) => candidate.model_id === modelId);
  if (model) return { provider, model };
  return {
    message: `No model "${modelId}" at provider "${provider.key}".`,
    unknown: { name: modelId, known: provider.models.map((one) => one.model_id), of: 'its models' },
  };
}

const unknownProvider = (providers: readonly Provider[], key: string): Fault => ({
  message: `No provider "${key}".`,
  unknown: { name: key, known: providers.map((provider) => provider.key), of: "the team's providers" },
});

function unknownModel(providers: readonly Provider[], modelId: string): Fault {
  const known = new Set(providers.flatMap((provider) => provider.models.map((model) => model.model_id)));
  return {
    message: `No provider has a model "${modelId}".`,
    unknown: { name: modelId, known: [...known].slice(0, MAX_COMPARED), of: 'their models' },
  };
}

/** System prompts for targets that the run does not have. */
function unusedPrompts(prompts: RunInput['system_prompt'], targets: readonly ResolvedTarget[]): Fault[] {
  if (typeof prompts !== 'object' || prompts === null) return [];
  const known = [...new Set(targets.map(targetName))];
  return Object.keys(prompts)
    .filter((name) => name !== '*' && !known.includes(name))
    .map((name) => ({
      message: `"${name}" is not a target of this run; "*" stands for the rest.`,
      unknown: { name, known, of: 'its targets' },
    }));
}

/** A model may be older than the rule that its parameters break. */
export const inDefaultParams = (providerKey: string, modelId: string, message: string): string =>
  `In the default_params of "${providerKey}::${modelId}" ${message} An owner can remove it.`;

const toName = (entry: { provider_key?: string; model_id: string }): ModelName => ({
  key: entry.provider_key,
  modelId: entry.model_id,
});

function splitName(name: string): ModelName {
  const at = name.indexOf('::');
  return at < 0 ? { key: undefined, modelId: name } : { key: name.slice(0, at), modelId: name.slice(at + 2) };
}

const systemPromptFor = (prompts: RunInput['system_prompt'], target: string): string | null =>
  typeof prompts === 'string' || prompts === null ? prompts : (prompts[target] ?? prompts['*'] ?? null);
