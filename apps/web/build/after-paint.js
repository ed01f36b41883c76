// Runs on the public page: loads the script that keeps the page up to date, after the first paint. The build puts the
// names of the files in.
(function (script, imports) {
  var begun = false;
  var pressed = null;

  function begin() {
    if (begun) return;
    begun = true;
    document.querySelector('link[rel=stylesheet]').media = 'all';
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

  // Repeats the last click before hydration once React handles clicks.
  function keep(event) {
    pressed = event.target.closest('button');
  }
  addEventListener('click', keep);
  document.documentElement.dataset.ready = '';
  addEventListener(
    'allclear:hydrated',
    function () {
      removeEventListener('click', keep);
      if (pressed) pressed.click();
    },
    { once: true },
  );

  // A background tab paints nothing, but must receive updates.
  if (document.hidden || !('PerformanceObserver' in window)) return begin();
  // A first paint may be of a background alone.
  new PerformanceObserver(function (entries) {
    if (entries.getEntriesByName('first-contentful-paint').length > 0) begin();
  }).observe({ type: 'paint', buffered: true });
  setTimeout(begin, 1000);
})(FILES);
