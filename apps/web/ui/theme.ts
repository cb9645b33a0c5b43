const KEY = 'toolmark.theme';
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Storage may be disabled; then each page starts with the system theme. */
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

/** The theme after the current one: system, light, dark. */
export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(stored()) + 1) % THEMES.length]!;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The theme applies to this page only.
  }
  applyTheme(next);
  return next;
}
