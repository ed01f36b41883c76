// Runs in the frame of an embedded banner: keeps it up to date, and tells the host page whether something is wrong and how high
// the banner is. The build puts the names of the events in.
(function (names) {
  var live = document.querySelector('[data-live]');
  if (!live) return;
  var latest = +live.dataset.revision;
  var failures = 0;
  var source, timer, pending;

  function report() {
    var height = Math.ceil(live.getBoundingClientRect().height);
    var trouble = live.dataset.trouble === 'true';
    // Everybody may know both.
    parent.postMessage({ type: 'allclear-embed', trouble: trouble, height: height }, '*');
  }

  function open() {
    if (source) source.close();
    source = new EventSource(live.dataset.events + '?since=' + live.dataset.revision);
    source.onopen = function () {
      failures = 0;
    };
    source.onerror = function () {
      if (source.readyState === EventSource.CLOSED) fail();
    };
    names.forEach(function (name) {
      source.addEventListener(name, changed);
    });
    source.addEventListener('resync', function (event) {
      latest = +event.lastEventId || latest;
      source.close();
      later(200);
    });
  }

  // The events of a commit arrive together. Further ones do not defer the reading.
  function changed(event) {
    latest = +event.lastEventId || latest;
    if (pending) return;
    pending = true;
    setTimeout(
      function () {
        pending = false;
        refresh().catch(fail);
      },
      100 + Math.random() * 300,
    );
  }

  // By a random amount, so that viewers do not come all at once.
  function later(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(
      function () {
        refresh().then(open, fail);
      },
      milliseconds * (1 + Math.random() * 3),
    );
  }

  function fail() {
    failures += 1;
    later(Math.min(1000 * Math.pow(2, failures), 30000));
  }

  // Each revision has an address of its own, so that no shared cache sends an older banner.
  function refresh() {
    var url = new URL(location.href);
    url.searchParams.set('revision', latest);
    return fetch(url, { cache: 'no-cache' }).then(function (response) {
      if (!response.ok) throw new Error(String(response.status));
      return response.text().then(show);
    });
  }

  function show(html) {
    var next = new DOMParser().parseFromString(html, 'text/html').querySelector('[data-live]');
    if (!next) return;
    if (next.innerHTML !== live.innerHTML) live.innerHTML = next.innerHTML;
    ['revision', 'trouble', 'tone'].forEach(function (name) {
      live.dataset[name] = next.dataset[name];
    });
    // Another node, which has not received the change yet, has drawn this banner.
    if (+next.dataset.revision < latest) later(1000);
    report();
  }

  new ResizeObserver(report).observe(live);
  report();
  open();
})(EVENTS);
