// Rejects phrases that read like a translation, in pages, comments, messages, labels and titles of tests: a sentence
// names its subject first, with a noun and a verb, in the field's terms.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PLACES = ['*.md', 'apps', 'libs', 'test', 'scripts', 'bench', 'docs', 'examples'];
const PHRASES = [
  [/(?<!\bthere )\bis no (?!longer|more|less|better|worse|faster|higher|lower|older|newer)[a-z]/i, 'is not a ...'],
  [/(?<!\bthere )\bare no (?!longer|more|less|better|worse|faster|higher|lower|older|newer)[a-z]/i, 'are not ...'],
  [/here will be/i, 'no ... yet'],
  [/is like that/i, 'matches'],
  [/\bstands? in\b/i, 'is in'],
  [/\banew\b/i, 'again, new, from the start'],
  [/, at most(?=["'`<.,;)]|$)/i, 'maximum, up to'],
  [/\b(?:nothing|no message) of it is\b/i, 'the noun'],
  [/\btold (?!apart\b|otherwise\b)[a-z]|[a-z] told\.(?=['"`\s]|$)/i, 'logged, sent, shown, knows'],
  [/\bbeside the\b/i, 'next to, with, compared with'],
  [/\bas (?:it is|they are)(?= (?:now|when)\b|\s*(?:[.,;:|)]|$))/i, 'unchanged'],
  [/label="[^"]* a (?:second|minute|hour|day)\b/, 'per ...'],
];
// The phrases themselves, and texts sent to models: changing those would change what a judge or a tune measures.
const EXCEPT = ['scripts/check-words.mjs', 'libs/judge/judge-request.ts', 'libs/prompt-tune/meta-request.ts'];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...PLACES], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|mjs|cjs|ts|tsx)$/.test(file) && !EXCEPT.includes(file) && existsSync(file));
const faults = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      PHRASES.flatMap(([phrase, instead]) => {
        const found = phrase.exec(line);
        return found ? [`${file}:${index + 1} "${found[0].trim()}": ${instead}`] : [];
      }),
    ),
);
for (const fault of faults) console.error(fault);
if (faults.length) process.exitCode = 1;
