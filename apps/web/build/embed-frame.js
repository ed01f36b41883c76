// Runs in the frame of an embedded banner: keeps it up to date, and tells the host page whether something is wrong and how high
// the banner is.
(function () {
  var live = document.querySelector('[data-live]');
  if (!live) return;

  function report() {
    var height = Math.ceil(live.getBoundingClientRect().height);
    var trouble = live.dataset.trouble === 'true';
    // Everybody may know both.
    parent.postMessage({ type: 'allclear-embed', trouble: trouble, height: height }, '*');
  }

  function show(next) {
    if (next.innerHTML !== live.innerHTML) live.innerHTML = next.innerHTML;
    live.dataset.trouble = next.dataset.trouble;
    live.dataset.tone = next.dataset.tone;
    report();
  }

  new ResizeObserver(report).observe(live);
  report();
  followEvents(live, 100, show);
})();
