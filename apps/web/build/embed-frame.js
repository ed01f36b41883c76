// Runs in the frame of an embedded banner: keeps it up to date, and tells the host page whether
// something is wrong and how high the banner is.
(function () {
  var live = document.querySelector('[data-live]');
  if (!live) return;
  var link = live.querySelector('a');
  var content;

  function report() {
    var height = Math.ceil(live.getBoundingClientRect().height);
    var trouble = live.dataset.trouble === 'true';
    // Everybody may know both.
    parent.postMessage({ type: 'allclear-embed', trouble: trouble, height: height }, '*');
  }

  // The link stays, and with it the focus.
  function show(next) {
    var shown = next.querySelector('a');
    content = shown.innerHTML;
    link.setAttribute('href', shown.getAttribute('href'));
    live.dataset.trouble = next.dataset.trouble;
    live.dataset.tone = next.dataset.tone;
    if (innerHeight || next.dataset.trouble !== 'true') {
      fill();
      return;
    }
    // The host page has hidden the frame, and shows it now, as high as with its text. Screen
    // readers only read what changes in a visible frame.
    link.innerHTML = content;
    live.style.minHeight = live.offsetHeight + 'px';
    link.textContent = '';
    report();
    setTimeout(fill, 150);
  }

  function fill() {
    if (link.innerHTML !== content) link.innerHTML = content;
    live.style.minHeight = '';
    report();
  }

  new ResizeObserver(report).observe(live);
  report();
  // The banner has no room to say that it is out of date.
  function lost() {}

  // Many pages show the banner, mostly in hidden tabs.
  followEvents(live, 100, show, lost, undefined, true);
})();
