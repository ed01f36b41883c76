// Runs on the pages of the public history: shows local times, switches the theme, and replaces what has changed.
(function () {
  var root = document.documentElement;
  var live, readAgain, clock;

  function start() {
    root.dataset.ready = '';
    live = document.querySelector('[data-live]');
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
    readAgain = followEvents(live, 200, show, gone);
    followClock();
  }

  function showLocalTimes() {
    var format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    live.querySelectorAll('time').forEach(function (time) {
      time.title = format.format(new Date(time.dateTime)) + ' (your time)';
    });
  }

  // Some pages change with the clock alone. A viewer with a wrong clock must not request them all the time.
  function followClock() {
    clearTimeout(clock);
    var until = live.dataset.until;
    if (!until) return;
    var wait = Math.max(Date.parse(until) - Date.now(), 30000);
    clock = setTimeout(readAgain, wait + Math.random() * 5000);
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

  function show(next, page) {
    live.querySelectorAll('time').forEach(function (time) {
      time.removeAttribute('title');
    });
    if (next.innerHTML !== live.innerHTML) {
      live.innerHTML = next.innerHTML;
      document.title = page.title;
      // What the clock changes is not news.
      if (live.dataset.revision !== next.dataset.revision)
        document.querySelector('[data-announcement]').textContent = 'This page was updated.';
    }
    live.dataset.until = next.dataset.until || '';
    showLocalTimes();
    followClock();
  }

  // What the page showed has been deleted.
  function gone() {
    location.reload();
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
})();
