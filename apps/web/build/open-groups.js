// Runs on the public page while it is parsed: opens and closes groups as the visitor has left them, before they are painted.
// Kept in step with src/features/status-page/open-groups.ts.
(function () {
  var chosen;
  try {
    chosen = JSON.parse(localStorage.getItem('allclear:groups'));
  } catch {
    // Storage may be forbidden. Then the mode of each group decides.
  }
  if (!chosen) return;
  var observer = new MutationObserver(function () {
    document.querySelectorAll('[data-group]').forEach(function (group) {
      var open = chosen[group.dataset.group];
      if (open !== undefined) group.open = open;
    });
  });
  observer.observe(document, { childList: true, subtree: true });
  addEventListener('DOMContentLoaded', function () {
    observer.disconnect();
  });
})();
