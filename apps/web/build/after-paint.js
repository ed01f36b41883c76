// Runs on the public page: whoever comes reads first, and then loads what keeps the page up to date. The build puts the
// names of the files in.
(function (script, imports) {
  var begun = false;
  var pressed = null;

  function begin() {
    if (begun) return;
    begun = true;
    imports.forEach(function (file) {
      var link = document.createElement('link');
      link.rel = 'modulepreload';
      link.href = file;
      document.head.append(link);
    });
    var element = document.createElement('script');
    element.type = 'module';
    element.src = script;
    document.head.append(element);
  }

  // What is pressed before there is anybody to hear it is pressed again when there is.
  function keep(event) {
    pressed = event.target.closest('button');
  }
  addEventListener('click', keep);
  document.documentElement.dataset.heard = '';
  addEventListener(
    'allclear:taken-over',
    function () {
      removeEventListener('click', keep);
      if (pressed) pressed.click();
    },
    { once: true },
  );

  // A tab in the background paints nothing, but follows what happens.
  if (document.hidden || !('PerformanceObserver' in window)) return begin();
  new PerformanceObserver(begin).observe({ type: 'paint', buffered: true });
  setTimeout(begin, 1000);
})(FILES);
