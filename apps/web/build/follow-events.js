// Keeps a part of a page that the server draws up to date: after an event the page is read again. The build puts this script
// in front of those that call it, and the names of the events in.
function followEvents(live, delay, show, gone) {
  var latest = +live.dataset.revision;
  var failures = 0;
  var source, timer, pending;

  function open() {
    if (source) source.close();
    source = new EventSource(live.dataset.events + '?since=' + live.dataset.revision);
    source.onopen = function () {
      failures = 0;
    };
    source.onerror = function () {
      if (source.readyState === EventSource.CLOSED) fail();
    };
    EVENTS.forEach(function (name) {
      source.addEventListener(name, changed);
    });
    source.addEventListener('resync', function (event) {
      latest = +event.lastEventId || latest;
      source.close();
      later(200);
    });
  }

  // The events of a commit arrive together. Further ones do not defer the reading, or a page would never show a change under
  // constant writes.
  function changed(event) {
    if (event) latest = +event.lastEventId || latest;
    if (pending) return;
    pending = true;
    setTimeout(
      function () {
        pending = false;
        refresh().catch(fail);
      },
      delay * (1 + Math.random() * 3),
    );
  }

  // By a random amount, so that viewers do not come all at once.
  function later(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(reopen, milliseconds * (1 + Math.random() * 3));
  }

  function fail() {
    failures += 1;
    later(Math.min(1000 * Math.pow(2, failures), 30000));
  }

  function reopen() {
    refresh().then(open, fail);
  }

  // Each revision has an address of its own, so that no shared cache sends an older page.
  function refresh() {
    var url = new URL(location.href);
    url.searchParams.set('revision', latest);
    return fetch(url, { cache: 'no-cache' }).then(function (response) {
      if (gone && response.status === 404) return gone();
      if (!response.ok) throw new Error(String(response.status));
      return response.text().then(replace);
    });
  }

  function replace(html) {
    var page = new DOMParser().parseFromString(html, 'text/html');
    var next = page.querySelector('[data-live]');
    if (!next) return;
    show(next, page);
    live.dataset.revision = next.dataset.revision;
    // Another node, which has not received the change yet, has drawn this page.
    if (+next.dataset.revision < latest) later(1000);
  }

  function wake() {
    if (!document.hidden && source.readyState === EventSource.CLOSED) later(0);
  }

  open();
  return { changed: changed, wake: wake };
}
