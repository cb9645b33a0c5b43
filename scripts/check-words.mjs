// Rejects phrases that read like a translation, in files already cleaned of them: a sentence names its subject first,
// with a noun and a verb, in the field's terms. Add code folders to CLEAN once they are clean.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const CLEAN = ['docs', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md'];
const PHRASES = [
  [/(?<!\bthere )\bis no (?!longer|more|less)[a-z]/i, 'is not a ...'],
  [/(?<!\bthere )\bare no (?!longer|more|less)[a-z]/i, 'are not ...'],
  [/here will be/i, 'no ... yet'],
  [/is like that/i, 'matches'],
  [/\bstands? in\b/i, 'is in'],
  [/\banew\b/i, 'again, new, from the start'],
  [/, at most\b/i, 'maximum, up to'],
  [/\b(?:nothing|none|message) of it is\b/i, 'the noun'],
  [/\btold\b(?! apart|\.)/i, 'logged, sent, shown, knows'],
  [/\bbeside the\b/i, 'next to, with, compared with'],
  [/\bas (?:it is|they are)(?= (?:now|when)\b|\s*(?:[.,;:|)]|$))/i, 'unchanged'],
];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...CLEAN], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|mjs|ts|tsx)$/.test(file) && existsSync(file));
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
