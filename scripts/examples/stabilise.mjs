// Replaces values that differ between captures (ids, times, durations, ports) and secrets.

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const DAY_MS = 86_400_000;
const idOf = (what) => `019aa8a2-5c1e-7000-8000-${String(what).padStart(12, '0')}`;
const FIRST_OTHER_ID = 1001;
const BEGIN = Date.parse('2026-11-20T09:00:00.000Z');

/**
 * @param value what was captured
 * @param ids the real ids of `NUMBERS`, by their names
 * @param hosts real addresses and their replacements
 */
export function stabilise(value, { ids, hosts, startedAt }) {
  const idsThere = new Map(Object.entries(ids).map(([name, id]) => [id, EXAMPLE_IDS[name]]));
  const isOfCapture = (time) => time >= startedAt - 60_000 && time <= Date.now() + 2 * DAY_MS;
  // When something ends, as the server chose.
  const isAhead = (time) => time > Date.now() + 2 * DAY_MS && time <= Date.now() + 100 * DAY_MS;
  const ahead = (time) => new Date(BEGIN + Math.round((time - startedAt) / DAY_MS) * DAY_MS).toISOString();
  const json = JSON.stringify(value, steady);
  const times = [...new Set(json.match(TIME) ?? [])].filter((time) => isOfCapture(Date.parse(time))).sort();
  const timesThere = new Map(times.map((time, index) => [time, new Date(BEGIN + 1000 * index).toISOString()]));
  const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
  let text = json
    .replaceAll(UUID, (id) => {
      if (!idsThere.has(id)) idsThere.set(id, idOf(FIRST_OTHER_ID + idsThere.size));
      return idsThere.get(id);
    })
    .replaceAll(TIME, (time) => timesThere.get(time) ?? (isAhead(Date.parse(time)) ? ahead(Date.parse(time)) : time))
    .replaceAll(/tm_[\w-]{20,}/g, 'tm_7Fh2kQ9vXb4LsZ0cR6wYtE8nJ3mA5pGd')
    .replaceAll(/ti_[\w-]{20,}/g, 'ti_Xb4LsZ0cR6wYtE8nJ3mA5pGd7Fh2kQ9v')
    .replaceAll(/td_[\w-]{20,}/g, 'td_3kQ9vXb4LsZ0cR6wYtE8nJ3mA5pGd7Fh')
    .replaceAll(/\b[B-Z]{4}-[B-Z]{4}\b/g, 'BCDF-GHJK')
    .replaceAll(/"created":\d{10}/g, '"created":1795160400')
    .replaceAll(/"id":"(?<kind>chatcmpl-|call_)\w{5,}"/g, '"id":"$<kind>1a2b3c"')
    .replaceAll(dayOf(startedAt), dayOf(BEGIN))
    .replaceAll(`"${dayOf(startedAt).slice(0, 7)}"`, `"${dayOf(BEGIN).slice(0, 7)}"`);
  for (const [real, shown] of Object.entries(hosts)) text = text.replaceAll(real, shown);
  return JSON.parse(text);
}

/** Durations differ between captures. */
function steady(key, value) {
  if (/latency|elapsed|duration|eta_s/.test(key)) return rounded(value);
  return value;
}

function rounded(value) {
  if (typeof value === 'number') return value > 0 ? 100 * Math.max(1, Math.round(value / 100)) : value;
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
}

/** The ids in examples of requests and paths, so that a test can substitute real ones. */
export const EXAMPLE_IDS = Object.fromEntries(
  Object.entries({
    team: 1,
    user: 2,
    suite: 11,
    case: 21,
    tokyo: 22,
    run: 31,
    baseline: 32,
    best: 33,
    job: 41,
    experiment: 51,
    lane: 61,
    token: 71,
    gateRun: 91,
    gate: 101,
    tune: 111,
    promptTune: 112,
    preset: 121,
    prompt: 131,
    earlierPrompt: 132,
    report: 141,
    member: 151,
    invitation: 161,
    session: 171,
  }).map(([name, number]) => [name, idOf(number)]),
);
