import { suggestNames } from '#lib/contracts/input/nearest-names';
import { jsonPointer, ProblemError, type InputError } from '#lib/contracts/input/problem';
import { findComponentsFault } from '#lib/contracts/prompt';
import { describeTools, parseComponent, unknownComponents } from '#lib/contracts/prompt-components';
import type { PromptOfRun } from '#lib/contracts/run-input';
import type { UncountedSuite } from '#lib/db/catalogue/suites';
import { findToolFault, findToolsFault, MAX_TOOL_DESCRIPTION, type Tool } from '#lib/contracts/tool';
import { PromptVersionRepository, type StoredPromptVersion } from '#lib/db/catalogue/prompt-versions';
import type { Pool } from '#lib/db/connection/pool';
import { UUID } from '../platform/decorators.js';

const MAX_NAMED = 10;

type Texts = Readonly<Record<string, string>>;

/**
 * The run's replacements of its suite's texts: its own overrides first, then the texts of its prompt version.
 * @throws ProblemError 422 for a version that does not exist, and for texts that do not fit the suite
 */
export async function resolvePrompt(
  pool: Pool,
  teamId: string,
  { base_prompt: base, tool_overrides: own, prompt_version_id: wanted }: PromptOfRun,
  suite: UncountedSuite,
): Promise<PromptOfRun> {
  const version = wanted === null ? undefined : await findVersion(pool, teamId, wanted, suite);
  const { system_prompt: prompt, ...described } = version?.components ?? {};
  const overrides = { ...described, ...own };
  checkComponents(overrides, suite.tools, (key) =>
    Object.hasOwn(own, key) ? jsonPointer(['tool_overrides', key]) : '/prompt_version_id',
  );
  return { base_prompt: base ?? prompt ?? null, tool_overrides: overrides, prompt_version_id: version?.id ?? null };
}

async function findVersion(
  pool: Pool,
  teamId: string,
  wanted: string,
  suite: UncountedSuite,
): Promise<StoredPromptVersion> {
  const versions = new PromptVersionRepository(pool, teamId);
  const version = UUID.test(wanted) ? await versions.find(wanted) : await versions.findTagged(suite.id, wanted);
  if (version) return version;
  throw new ProblemError(
    422,
    UUID.test(wanted)
      ? `No prompt version with id "${wanted}" in this team.`
      : `No prompt version of the suite has the tag "${wanted}".`,
    [{ path: '/prompt_version_id', message: 'does not exist' }],
  ).as('unknown_prompt_version', { version: wanted, suite_id: suite.id });
}

/**
 * Settings of an earlier run, which contain the texts of its prompt version; the version's id is removed if the version
 * was deleted since.
 */
export async function forgetDeletedVersion<Settings extends PromptOfRun>(
  pool: Pool,
  teamId: string,
  settings: Settings,
): Promise<Settings> {
  const { prompt_version_id: id } = settings;
  if (id === null || !UUID.test(id) || (await new PromptVersionRepository(pool, teamId).find(id))) return settings;
  return { ...settings, prompt_version_id: null };
}

/**
 * Checks that the texts have their places in the suite, and that its tools are valid with them.
 * @param pathOf the path of a text in the body
 * @throws ProblemError 422
 */
export function checkComponents(texts: Texts, tools: readonly Tool[], pathOf: (key: string) => string): void {
  const errors: InputError[] = unknownComponents(Object.keys(texts), tools)
    .slice(0, MAX_NAMED)
    .map((key) => ({ path: pathOf(key), message: `The suite has no "${key}". ${nearest(key, tools)}` }));
  const [anyKey] = Object.keys(texts);
  const excess = findComponentsFault(texts);
  if (excess) errors.push({ path: pathOf(anyKey!), message: `With the other texts, this ${excess}.` });
  if (errors.length === 0) errors.push(...toolFaults(texts, tools, pathOf));
  if (errors.length) throw new ProblemError(422, errors[0]!.message, errors);
}

function nearest(key: string, tools: readonly Tool[]): string {
  const component = parseComponent(key);
  if (component === undefined || component.of === 'system_prompt') return '';
  const names = tools.map((tool) => tool.function.name);
  return names.includes(component.tool)
    ? `${component.tool} has no such parameter.`
    : suggestNames(component.tool, names, 'its tools');
}

/** Tools are sent with these texts, and may later be stored in the suite with them. */
function toolFaults(texts: Texts, tools: readonly Tool[], pathOf: (key: string) => string): InputError[] {
  const described = describeTools(tools, texts);
  const faults = described.flatMap((tool, index): InputError[] => {
    if (tool === tools[index]) return [];
    const { name, description = '' } = tool.function;
    const key = Object.keys(texts).find((each) => each.startsWith(`tools/${name}/`))!;
    const fault =
      description.length > MAX_TOOL_DESCRIPTION
        ? `has a description of ${description.length} characters (the limit is ${MAX_TOOL_DESCRIPTION})`
        : findToolFault(tool);
    return fault ? [{ path: pathOf(key), message: `With its texts, the tool ${name} ${fault}.` }] : [];
  });
  const together = faults.length === 0 && described !== tools ? findToolsFault(described) : undefined;
  if (!together) return faults.slice(0, MAX_NAMED);
  const key = Object.keys(texts).find((each) => each !== 'system_prompt')!;
  return [{ path: pathOf(key), message: `With their texts, the tools ${together}.` }];
}
