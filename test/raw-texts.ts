import type { Page } from 'playwright-core';

/** A method and a path of the API, a time as programs write it, and JSON outside of what says that it is JSON. */
const RAW_TEXTS = String.raw`(GET|PUT|POST|PATCH|DELETE) /api|\d{4}-\d\d-\d\dT|\{"`;

/** Visible texts that only programs want to read, with all details open. */
export async function rawTexts(page: Page): Promise<string[]> {
  await page.evaluate(`for (const one of document.querySelectorAll('#content details')) one.open = true`);
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  return page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.getElementById('content'), NodeFilter.SHOW_TEXT);
    const found = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const { parentElement: parent, data } = text;
      if (parent.closest('[data-json], pre, code.curl, textarea, .cm-editor') || !parent.checkVisibility()) continue;
      if (new RegExp(${JSON.stringify(RAW_TEXTS)}).test(data)) found.push('raw text: ' + data.slice(0, 200));
    }
    return found;
  })()`);
}
