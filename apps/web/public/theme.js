// Sets the theme before the first paint of the app, so that no other theme is visible. The public
// page does not wait for scripts and runs it as soon as it is loaded: see
// docs/decisions/no-paint-waits-for-a-theme.md. Has the rules of src/ui/theme-choice.ts.
(function () {
  var theme = 'dark';
  try {
    theme = localStorage.getItem('allclear:theme') || theme;
  } catch {
    // Storage may be forbidden. Then the default theme applies.
  }
  if (theme === 'system') {
    theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
  }
  var data = document.documentElement.dataset;
  data.ready = '';
  data.theme = theme === 'light' ? 'light' : 'dark';
  var canvas = document.querySelector('meta[name=theme-color]');
  if (canvas) canvas.content = data.theme === 'light' ? '#f6f8fa' : '#0b0f14';
})();
