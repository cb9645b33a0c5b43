/**
 * A request as a command for a shell. The key is left to a variable, and so is the address, which the page does not
 * have.
 */
export function curlCommand(body: unknown): string {
  const quoted = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    'curl "$BASE_URL/chat/completions"',
    '-H "authorization: Bearer $API_KEY"',
    "-H 'content-type: application/json'",
    `--data-raw '${quoted}'`,
  ].join(' \\\n  ');
}
