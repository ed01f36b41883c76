// Keeps a part of a page that the server draws up to date: after an event the page is read again.
// The build puts this script in front of those that call it, and the names of the events in. `lost`
// is called with the time of the last sign of life while the page may be out of date, otherwise
// without. If `pauses` is true, a hidden page has no connection. Returns a function that reads the
// page again.
function followEvents(live, delay, show, lost, gone, pauses) {
  var latest = +live.dataset.revision;
  var failures = 0;
  var aliveAt = 0;
  var source, timer, silence, pending;

  function isPaused() {
    return pauses && document.hidden;
  }

  function close() {
    if (source) source.close();
  }

  function open() {
    close();
    if (isPaused()) return;
    source = new EventSource(live.dataset.events + '?since=' + live.dataset.revision);
    expectLife();
    source.addEventListener('open', function () {
      failures = 0;
      lost();
      expectLife();
    });
    source.addEventListener('error', function () {
      lost(aliveAt);
      if (source.readyState === EventSource.CLOSED) fail();
      else expectLife();
    });
    source.addEventListener('ping', expectLife);
    EVENTS.forEach(function (name) {
      source.addEventListener(name, function (event) {
        expectLife();
        latest = +event.lastEventId || latest;
        changed();
      });
    });
    source.addEventListener('resync', function (event) {
      latest = +event.lastEventId || latest;
      source.close();
      later(200);
    });
  }

  // A connection may be cut without a notification. The server sends a ping every 20 seconds.
  // Viewers whose connections were cut together do not come back all at once.
  function expectLife() {
    aliveAt = Date.now();
    clearTimeout(silence);
    silence = setTimeout(reconnect, 50000 * (1 + Math.random() / 5));
  }

  function reconnect() {
    close();
    later(0);
  }

  // The events of a commit arrive together. Further ones do not defer the reading, or a page would
  // never show a change under constant writes.
  function changed() {
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
    clearTimeout(silence);
    clearTimeout(timer);
    timer = setTimeout(reopen, milliseconds * (1 + Math.random() * 3));
  }

  // Waits for at most half a minute, as `later` waits for up to four times as long.
  function fail() {
    lost(aliveAt);
    failures += 1;
    later(Math.min(1000 * Math.pow(2, failures), 7500));
  }

  function reopen() {
    if (!isPaused()) refresh().then(open, fail);
  }

  // Each revision has an address of its own, so that no shared cache sends an older page.
  function refresh() {
    var url = new URL(location.href);
    url.searchParams.set('revision', latest);
    return fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(20000) }).then(
      function (response) {
        // A proxy that has lost its server may respond with a 404 of its own, without this header.
        if (gone && response.status === 404 && response.headers.has('X-Request-Id')) return gone();
        if (!response.ok) throw new Error(String(response.status));
        return response.text().then(replace);
      },
    );
  }

  function replace(html) {
    var page = new DOMParser().parseFromString(html, 'text/html');
    // Only pages of Allclear have a version. What a proxy sends while the server is unavailable has
    // none.
    var version = page.documentElement.dataset.version;
    var isReplaced = version && version !== document.documentElement.dataset.version;
    // The style is that of this version. A young page may come from a cache, or nodes run different
    // versions for a moment.
    if (isReplaced && performance.now() > 60000) {
      location.reload();
      return;
    }
    var next = page.querySelector('[data-live]');
    if (!next) return;
    show(next, page);
    lost();
    live.dataset.revision = next.dataset.revision;
    if (isReplaced) later(60000);
    // Another node, which has not received the change yet, has drawn this page.
    if (+next.dataset.revision < latest) later(1000);
  }

  function wake() {
    if (isPaused()) close();
    if (document.hidden) return;
    // A page that was hidden from the start has no stream yet.
    if (Date.now() - aliveAt > 25000 || source.readyState === EventSource.CLOSED) reconnect();
  }

  open();
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  return changed;
}
