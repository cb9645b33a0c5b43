// Builds the guide that the page links to: docs/*.md as plain HTML, and the glossary of the page. It needs no script
// and no internet.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { transformSync } from '@swc/core';
import { Marked } from 'marked';
import { root } from './set-up.mjs';

/** The terms of the page. Compiled here, so that every Node can build the guide. */
const { GLOSSARY } = await importTypeScript(join(root, 'apps/web/ui/glossary.ts'));
const { guideAddress } = await importTypeScript(join(root, 'apps/web/ui/guide.ts'));

async function importTypeScript(file) {
  const options = {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
    swcrc: false,
  };
  const { code } = transformSync(readFileSync(file, 'utf8'), options);
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** The tour is about pictures of the page that its reader is looking at. */
const LEFT_OUT = ['tour.md'];

export function buildGuide(folder) {
  mkdirSync(folder, { recursive: true });
  const docs = join(root, 'docs');
  const names = readdirSync(docs).filter((name) => name.endsWith('.md') && !LEFT_OUT.includes(name));
  const slugs = new Map();
  const marked = new Marked({
    renderer: {
      heading({ tokens, text, depth }) {
        return `<h${depth} id="${slugOf(text, slugs)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // What the guide does not hold stays as words.
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const [file, section] = href.split('#');
        if (/^https?:/.test(href)) return `<a href="${href}" rel="noreferrer">${words}</a>`;
        if (file !== '' && !names.includes(file)) return words;
        return `<a href="${file.replace(/\.md$/, '.html')}${section ? `#${section}` : ''}">${words}</a>`;
      },
      image: ({ text }) => text,
    },
  });
  for (const name of names) {
    slugs.clear();
    const body = marked.parse(readFileSync(join(docs, name), 'utf8'));
    write(folder, basename(name, '.md'), /<h1[^>]*>(.*?)<\/h1>/.exec(body)?.[1] ?? name, body);
  }
  write(folder, 'glossary', 'Glossary', glossary());
  writeFileSync(join(folder, 'guide.css'), STYLE);
  Object.values(GLOSSARY).forEach(({ guide }) => checkAddress(folder, guide));
}

/** @throws Error if the guide has no such page or section */
function checkAddress(folder, guide) {
  const [name, section] = guide.split('#');
  const page = readFileSync(join(folder, `${name}.html`), 'utf8');
  if (section && !page.includes(` id="${section}"`))
    throw new Error(`The guide has no ${guide}, which a hint leads to.`);
}

/** The anchor of a heading, as on GitHub. */
function slugOf(text, slugs) {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const count = slugs.get(slug) ?? 0;
  slugs.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function glossary() {
  const terms = Object.entries(GLOSSARY).toSorted(([one], [other]) => one.localeCompare(other));
  const rows = terms.map(
    ([term, { means, guide }]) =>
      `<dt id="${slugOf(term, new Map())}">${term}</dt><dd>${means} <a href="${guideAddress(guide)}">More</a></dd>`,
  );
  return `<h1>Glossary</h1><dl>${rows.join('')}</dl>`;
}

function write(folder, name, title, body) {
  writeFileSync(
    join(folder, `${name}.html`),
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title.replaceAll(/<[^>]+>/g, '')} · Toolmark</title><link rel="stylesheet" href="guide.css">
<header><a href="README.html">Guide</a> <a href="glossary.html">Glossary</a> <a href="/">Toolmark</a></header>
<main>${body}</main></html>\n`,
  );
}

const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#fff, #14171c); color: light-dark(#1b1f24, #e6e9ee);
  font: 16px/26px system-ui, sans-serif; }
header { display: flex; gap: 16px; padding: 12px 24px; border-bottom: 1px solid light-dark(#d0d7de, #30363d); }
main { max-width: 80ch; margin: 0 auto; padding: 24px; }
a { color: light-dark(#0b5cad, #6cb6ff); }
h1, h2, h3 { line-height: 1.3; }
pre, table { display: block; overflow-x: auto; }
pre, code { font: 14px/22px ui-monospace, monospace; background: light-dark(#f6f8fa, #1b1f26); }
pre { padding: 12px; }
th, td { padding: 4px 12px 4px 0; text-align: start; vertical-align: top; }
dt { font-weight: 600; }
dd { margin: 0 0 12px; }
`;
