// The demo of the first `docker compose up`: that of `npm start`, against a running API.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiClient,
  importExamples,
  isUntouched,
  leaderboard,
  registerOpenai,
  registerSimulator,
  runDemo,
  nextSteps,
} from './demo.mjs';

const {
  TOOLMARK_PUBLISH: publishedAt,
  TOOLMARK_SECRETS_DIR: secrets,
  TOOLMARK_SERVER: server,
  SIMULATOR_URL: simulatorUrl,
} = process.env;
const { TOOLMARK_ADMIN_TOKEN: token, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = process.env;
const READ_TOKEN = 'docker compose exec api cat /secrets/admin-token';
const say = (text) => console.log(text);
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (stopping = true));

try {
  const call = apiClient(server, token);
  const untouched = await isUntouched(call);
  if (untouched) await registerSimulator(call, simulatorUrl);
  if (apiKey) await registerOpenai(call, { apiKey, ...(baseUrl && { baseUrl }) }, say);
  if (untouched) {
    const [suite] = await importExamples(call, 'examples');
    const run = await runDemo(call, suite, { say, out: process.stdout, isStopping: () => stopping });
    if (run) say(`\n${leaderboard(run, process.stdout.isTTY)}\n`);
  }
  const tokenFile = join(secrets, 'admin-token');
  const isTokenGiven = !existsSync(tokenFile) || readFileSync(tokenFile, 'utf8').trim() !== token;
  const url = `http://${publishedAt.replace(/^(?:0\.0\.0\.0:)?(?=\d+$)/, '127.0.0.1:')}`;
  const steps = await nextSteps(call, {
    toolmark: 'docker compose run --rm demo toolmark',
    url,
    token: isTokenGiven ? '$TOOLMARK_ADMIN_TOKEN' : '$(docker compose exec -T api cat /secrets/admin-token)',
  });
  say(
    [
      `Toolmark is ready: open ${url} and sign in with its token; the API is described at ${url}/docs.`,
      `Its token: ${isTokenGiven ? 'the TOOLMARK_ADMIN_TOKEN that you set' : READ_TOKEN}`,
      ...steps,
    ].join('\n'),
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
