import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

// People read messages; scripts get the code of a problem or a note, and its way out from docs/problems.md.
const API_TALK = /\b(GET|PUT|POST|PATCH|DELETE) \/api/;
/** Where the API is described: its OpenAPI document, the registries of codes, and a table of its routes. */
const DESCRIBES = /^(describe|described|named|namedInput|meta|About|noteFields)$/;
const REGISTRIES = /^(libs\/contracts\/(problem|note|access|limit)-codes|apps\/api\/platform\/suite-rules)\.ts$/;

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps/api', 'apps/worker', 'libs'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.ts$/.test(file) && !/\.spec\.ts$|\/(generated|examples)\//.test(file))
  .filter((file) => !REGISTRIES.test(file) && existsSync(file));

/** Whether a text is an argument of a call that describes the API, or a `description`. */
function isDescription(node: ts.Node): boolean {
  for (let one: ts.Node | undefined = node; one && !ts.isStatement(one); one = one.parent) {
    if (ts.isPropertyAssignment(one) && /^(description|summary)$/.test(one.name.getText())) return true;
    if (!ts.isCallExpression(one)) continue;
    const callee = ts.isPropertyAccessExpression(one.expression) ? one.expression.name : one.expression;
    if (DESCRIBES.test(callee.getText())) return true;
  }
  return false;
}

/** The texts of a file that people may read. */
function messagesIn(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isText && API_TALK.test(node.getText()) && !isDescription(node)) found.push(`${file}: ${node.getText()}`);
    else node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

it('no message for people names a method and a path of the API', () => {
  const talking = sources.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return API_TALK.test(text) ? messagesIn(file, text) : [];
  });
  expect(talking).toEqual([]);
});
