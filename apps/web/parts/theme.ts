const KEY = 'toolmark.theme';
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Storage may be switched off; then each page begins with the theme of the system. */
function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The theme after the present one: system, light, dark. */
export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(stored()) + 1) % THEMES.length]!;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It holds for this page.
  }
  applyTheme(next);
  return next;
}
