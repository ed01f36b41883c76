// Runs on the public pages while they are parsed: applies the theme that the visitor has chosen,
// and opens and closes groups as the visitor has left them, before they are painted. Pages come in
// the dark theme. Kept in step with public/theme.js and src/features/status-page/open-groups.ts.
{
  const page = document.documentElement;

  const chosen = (name) => {
    try {
      return localStorage.getItem('allclear:' + name);
    } catch {
      // Storage may be forbidden. Then nothing has been chosen.
    }
  };

  const theme = chosen('theme');
  if (
    theme === 'light' ||
    (theme === 'system' && matchMedia('(prefers-color-scheme:light)').matches)
  ) {
    page.dataset.theme = 'light';
    document.querySelector('[name=theme-color]').content = '#f6f8fa';
  }

  let groups;
  try {
    groups = JSON.parse(chosen('groups'));
  } catch {
    // Something else has written it.
  }
  if (groups) {
    const found = new MutationObserver(() =>
      document.querySelectorAll('[data-group]').forEach((group) => {
        group.open = groups[group.dataset.group] ?? group.open;
      }),
    );
    found.observe(page, { childList: true, subtree: true });
    addEventListener('DOMContentLoaded', () => found.disconnect());
  }
}
