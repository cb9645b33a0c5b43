// The first run of `docker compose up`: the same as that of `npm start`, against an API that runs already.
import { apiClient, importExamples, isUntouched, leaderboard, registerOpenai, registerSimulator, runDemo } from './demo.mjs';

const { TOOLMARK_SERVER: server, SIMULATOR_URL: simulatorUrl, TOOLMARK_ADMIN_TOKEN: token, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = process.env;
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
  say(
    [
      'Toolmark is ready: the API at http://127.0.0.1:8501 (or where TOOLMARK_PUBLISH says), its documentation at /docs.',
      'Its token: docker compose exec api cat /secrets/admin-token   (unless TOOLMARK_ADMIN_TOKEN gives one)',
    ].join('\n'),
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
