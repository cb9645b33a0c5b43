import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { TuneArm } from '#lib/param-tune/contract';
import type { PromptCandidate, PromptCandidateDetails } from '#lib/prompt-tune/contract';
import { examples, listByDefault, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findTune, findTuneOf, modelOf, readTunes, tunePath, type AnyTune } from '../lookup/find-tune.js';
import { candidatesPath, leanCandidate, readChanges } from '../lookup/read-candidates.js';
import { addListOptions, DEFAULT_LIMIT, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { diffLines, textLines } from '../output/prompt-diff.js';
import { printReport } from '../output/report-lines.js';
import { print, printJson, printMarked } from '../output/terminal.js';
import { candidateReport, candidatesTable } from '../reports/prompt-tune.js';
import { armsTable, tunesTable } from '../reports/tune.js';
import { queryOf } from '../query.js';
import { exitByStatus, markdownOf, PARENT_KINDS, watchToEnd } from './watched-jobs.js';
import { addDelete } from './delete.js';
import { CANDIDATE_STATES } from '#lib/contracts/values/tunes';

const TUNE = ['<tune>', 'id or id prefix of a tune or its job'] as const;
interface ShowOptions extends GlobalOptions {
  watch?: boolean;
  markdown?: boolean;
}
interface ArmsOptions extends ListOptions {
  model?: string;
}
interface CandidatesOptions extends ListOptions {
  state?: string;
}

export function addTunes(program: Command): void {
  const list = serverAction<Partial<ListOptions>>(listTunes);
  const tunes = subcommand(program, 'tunes', 'list and show tunes: searches for the best settings or prompts');
  listByDefault(tunes, list).addHelpText(...examples('toolmark tunes', 'toolmark tunes show TUNE'));
  const listing = subcommand(tunes, 'list', 'list tunes, newest first').action(list);
  addListOptions(listing).addHelpText(...examples('toolmark tunes list --limit 5'));
  subcommand(tunes, 'show', 'show the outcome of a tune, and the command that runs it')
    .argument(...TUNE)
    .option('-w, --watch', 'wait for it to finish first')
    .option('--markdown', 'print it as Markdown for a pull request')
    .action(serverAction<ShowOptions, [string]>(showTune))
    .addHelpText(...examples('toolmark tunes show TUNE', 'toolmark tunes show TUNE --markdown'));
  subcommand(tunes, 'rename', 'name a tune')
    .argument(...TUNE)
    .argument('[name]', 'the new name; without one, the name is removed')
    .action(serverAction<GlobalOptions, [string, string?]>(renameTune))
    .addHelpText(...examples("toolmark tunes rename TUNE 'Colder is better'"));
  addParts(tunes);
  addDelete(
    tunes,
    'tune',
    ['delete a tune and its runs, except the promoted run and prompt versions', 'toolmark tunes delete OLD_TUNE'],
    TUNE,
    async (client, wanted) => {
      const { type, id } = await findTune(client, wanted);
      return tunePath(type, id);
    },
  );
}

function addParts(tunes: Command): void {
  const arms = tunes
    .command('arms')
    .description('list the arms of a parameter tune: every combination of values, with its measurements')
    .argument(...TUNE)
    .option('--model <model>', 'only arms of this model');
  addListOptions(arms).action(serverAction<ArmsOptions, [string]>(listArms));
  arms.addHelpText(...examples('toolmark tunes arms TUNE --model simulator::perfect-ish'));
  const candidates = tunes
    .command('candidates')
    .description('list the candidates of a prompt tune, or show the changes of one')
    .argument(...TUNE)
    .argument('[candidate]', 'number of a candidate', candidateNumber)
    .addOption(new Option('--state <state>', 'only candidates in this state').choices(CANDIDATE_STATES));
  addListOptions(candidates).action(
    serverAction<CandidatesOptions, [string, number?]>((client, options, tune, candidate) =>
      candidate === undefined ? listCandidates(client, options, tune) : showCandidate(client, options, tune, candidate),
    ),
  );
  candidates.addHelpText(
    ...examples('toolmark tunes candidates PROMPT_TUNE --state rejected', 'toolmark tunes candidates PROMPT_TUNE 0'),
  );
}

function candidateNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected the number of a candidate, such as 3.');
  return Number(text);
}

async function listTunes(client: ApiClient, options: Partial<ListOptions>): Promise<void> {
  const list = await readTunes(client, { limit: DEFAULT_LIMIT, ...options });
  printList(list, options, 'No tunes yet. Start one: toolmark tune --help', tunesTable);
}

async function showTune(client: ApiClient, options: ShowOptions, wanted: string): Promise<void> {
  if (options.json && options.markdown) throw new Error('Choose one of --json and --markdown.');
  const { type, ...tune } = await findTune(client, wanted);
  if (options.json && !options.watch) return printJson(tune);
  const shown = options.watch
    ? await watchToEnd(client, type, tune, options)
    : await PARENT_KINDS[type].read(client, tune.id);
  if (options.markdown) print(...(await markdownOf(shown)));
  else if (options.json) printJson(shown.parent);
  else printReport(shown.report);
  if (options.watch) exitByStatus(type, shown.parent, options);
}

async function renameTune(client: ApiClient, { json }: GlobalOptions, wanted: string, name?: string): Promise<void> {
  const { type, id } = await findTune(client, wanted);
  const tune = await client.call<AnyTune>('PATCH', tunePath(type, id), { name: name ?? null });
  if (json) return printJson(tune);
  print(tune.name === null ? `Tune ${id} has no name now.` : `Tune ${id} is now called "${tune.name}".`);
}

async function listArms(client: ApiClient, options: ArmsOptions, wanted: string): Promise<void> {
  const tune = await findTuneOf(client, 'param_tune', wanted);
  const query = queryOf({ target: options.model === undefined ? undefined : modelOf(tune, options.model) });
  const list = await readList<TuneArm>(client, `${tunePath('param_tune', tune.id)}/combos?${query}`, options);
  printList(list, options, 'The tune has no arms.', armsTable);
}

async function listCandidates(
  client: ApiClient,
  { state, ...options }: CandidatesOptions,
  wanted: string,
): Promise<void> {
  const { id } = await findTuneOf(client, 'prompt_tune', wanted);
  const list = await readList<PromptCandidate>(client, `${candidatesPath(id)}?${queryOf({ state })}`, options);
  const none = state === undefined ? 'The tune has no candidates yet.' : `No candidate of the tune is ${state}.`;
  printList(list, options, none, (candidates) => candidatesTable(candidates.map(leanCandidate)));
}

/** The base is shown with its texts, any other candidate with its changes. */
async function showCandidate(client: ApiClient, { json }: GlobalOptions, wanted: string, n: number): Promise<void> {
  const { id } = await findTuneOf(client, 'prompt_tune', wanted);
  const candidate = await client.call<PromptCandidateDetails>('GET', `${candidatesPath(id)}/${n}`);
  if (json) return printJson(candidate);
  printReport(candidateReport(leanCandidate(candidate)));
  if (candidate.parents.length === 0) return print(...textLines(candidate.texts));
  const changes = await readChanges(client, id, n);
  if (changes.length > 0) printMarked([[], ...diffLines(changes)]);
}
