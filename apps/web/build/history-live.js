// Runs on the pages of the public history: shows local times, switches the theme, and replaces what has changed. The build
// puts the names of the events in.
(function (names) {
  var root = document.documentElement;
  var live, source, timer, clock, pending, latest;
  var failures = 0;

  function start() {
    root.dataset.ready = '';
    live = document.querySelector('[data-live]');
    latest = live ? +live.dataset.revision : 0;
    var themeButton = document.querySelector('header button[data-script=needed]');
    if (themeButton) followTheme(themeButton);
    var select = document.querySelector('.history-select');
    if (select) {
      select.addEventListener('change', function () {
        select.form.requestSubmit();
      });
    }
    if (!live) return;
    showLocalTimes();
    followClock();
    open();
    addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
  }

  function showLocalTimes() {
    var format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    live.querySelectorAll('time').forEach(function (time) {
      time.title = format.format(new Date(time.dateTime)) + ' (your time)';
    });
  }

  // The clock alone changes some pages. A viewer whose clock is wrong does not ask all the time.
  function followClock() {
    clearTimeout(clock);
    var until = live.dataset.until;
    if (!until) return;
    var wait = Math.max(Date.parse(until) - Date.now(), 30000);
    clock = setTimeout(
      function () {
        changed();
      },
      wait + Math.random() * 5000,
    );
  }

  function followTheme(button) {
    function name() {
      var label = root.dataset.theme === 'light' ? 'Switch to dark theme' : 'Switch to light theme';
      button.title = label;
      button.setAttribute('aria-label', label);
    }
    button.addEventListener('click', function () {
      root.dataset.theme = root.dataset.theme === 'light' ? 'dark' : 'light';
      var canvas = document.querySelector('meta[name=theme-color]');
      if (canvas) canvas.content = root.dataset.theme === 'light' ? '#f6f8fa' : '#0b0f14';
      try {
        localStorage.setItem('allclear:theme', root.dataset.theme);
      } catch {
        // Storage may be forbidden. Then the choice lasts as long as the page.
      }
      name();
    });
    name();
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
      later(200, reopen);
    });
  }

  // Further changes do not defer the first one, or a page would never show it under constant writes.
  function changed(event) {
    if (event) latest = +event.lastEventId || latest;
    if (pending) return;
    pending = true;
    setTimeout(
      function () {
        pending = false;
        refresh().catch(fail);
      },
      200 + Math.random() * 600,
    );
  }

  // By a random amount, so that viewers do not come all at once.
  function later(milliseconds, work) {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds * (1 + Math.random() * 3));
  }

  function fail() {
    failures += 1;
    later(Math.min(1000 * Math.pow(2, failures), 30000), reopen);
  }

  function wake() {
    if (!document.hidden && source.readyState === EventSource.CLOSED) later(0, reopen);
  }

  function reopen() {
    refresh().then(open, fail);
  }

  // Each revision has an address of its own, so that no shared cache sends an older page.
  function refresh() {
    var url = new URL(location.href);
    url.searchParams.set('revision', latest);
    return fetch(url, { cache: 'no-cache' }).then(function (response) {
      // What the page showed has been deleted.
      if (response.status === 404) return location.reload();
      if (!response.ok) throw new Error(String(response.status));
      return response.text().then(show);
    });
  }

  function show(html) {
    var next = new DOMParser().parseFromString(html, 'text/html');
    var changed = next.querySelector('[data-live]');
    if (!changed) return;
    live.querySelectorAll('time').forEach(function (time) {
      time.removeAttribute('title');
    });
    if (changed.innerHTML !== live.innerHTML) {
      live.innerHTML = changed.innerHTML;
      document.title = next.title;
      // What the clock changes is not news.
      if (live.dataset.revision !== changed.dataset.revision)
        document.querySelector('[data-announcement]').textContent = 'This page was updated.';
    }
    live.dataset.revision = changed.dataset.revision;
    // Another node, which has not received the change yet, has drawn this page.
    if (+changed.dataset.revision < latest) later(1000, reopen);
    live.dataset.until = changed.dataset.until || '';
    showLocalTimes();
    followClock();
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
})(EVENTS);
