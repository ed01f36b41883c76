// Runs before the first paint, so that nobody sees the wrong theme flash by. Kept in step with src/ui/theme.ts.
(function () {
  var theme = 'dark';
  try {
    theme = localStorage.getItem('allclear:theme') || theme;
  } catch {
    // Storage can be forbidden; the default theme it is.
  }
  if (theme === 'system') {
    theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  }
  document.documentElement.dataset.theme = theme === 'light' ? 'light' : 'dark';
})();
