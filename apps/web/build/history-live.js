// Runs on the pages of the public history: shows local times, switches the theme, and replaces what
// has changed.
(function () {
  var root = document.documentElement;
  var live, readAgain, clock;

  function start() {
    root.dataset.ready = '';
    live = document.querySelector('[data-live]');
    var themeButton = document.querySelector('header button[data-script=needed]');
    if (themeButton) followTheme(themeButton);
    if (!live) return;
    showLocalTimes();
    readAgain = followEvents(live, 200, show, lost, gone);
    followClock();
  }

  function showLocalTimes() {
    var format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    live.querySelectorAll('time').forEach(function (time) {
      time.title = format.format(new Date(time.dateTime)) + ' (your time)';
    });
  }

  // Some pages change with the clock alone. A viewer with a wrong clock must not request them all
  // the time. A timer of more than 24 days would fire at once.
  function followClock() {
    clearTimeout(clock);
    var until = live.dataset.until;
    if (!until) return;
    var wait = Math.min(Math.max(Date.parse(until) - Date.now(), 30000), 3600000);
    clock = setTimeout(readAgain, wait + Math.random() * 5000);
  }

  // As src/ui/theme-choice.ts and starter/theme-switch.ts do on the status page. The build puts the
  // symbol of the moon in, which the server leaves out.
  function followTheme(button) {
    var light = matchMedia('(prefers-color-scheme: light)');
    var canvas = document.querySelector('meta[name=theme-color]');

    function show(theme) {
      var isLight = theme === 'light' || (theme === 'system' && light.matches);
      var label = isLight ? 'Switch to dark theme' : 'Switch to light theme';
      root.dataset.theme = isLight ? 'light' : 'dark';
      if (canvas) canvas.content = isLight ? '#f6f8fa' : '#0b0f14';
      button.title = label;
      button.setAttribute('aria-label', label);
      button.querySelector('use').setAttribute('href', isLight ? '#moon' : '#sun');
    }

    // Another tab, or the system.
    function follow() {
      try {
        show(localStorage.getItem('allclear:theme'));
      } catch {
        // Storage may be forbidden. Then nothing has been chosen.
      }
    }

    document.querySelector('body > svg[hidden]').insertAdjacentHTML('beforeend', MOON);
    button.addEventListener('click', function () {
      show(root.dataset.theme === 'light' ? 'dark' : 'light');
      try {
        localStorage.setItem('allclear:theme', root.dataset.theme);
      } catch {
        // Storage may be forbidden. Then the choice lasts as long as the page.
      }
    });
    addEventListener('storage', follow);
    light.addEventListener('change', follow);
    show(root.dataset.theme);
  }

  function show(next, page) {
    next.querySelectorAll('details').forEach(function (details) {
      details.open = live.querySelector('details[open]') !== null;
    });
    live.querySelectorAll('time').forEach(function (time) {
      time.removeAttribute('title');
    });
    if (next.innerHTML !== live.innerHTML) {
      // What the clock changes is not news.
      if (live.dataset.revision !== next.dataset.revision) announce(next);
      addIcons(page);
      replaceContent(next);
      document.title = page.title;
    }
    live.dataset.until = next.dataset.until || '';
    showLocalTimes();
    followClock();
  }

  // A screen reader says nothing if the text stays the same.
  function announce(next) {
    var updates = [...next.querySelectorAll('.timeline > li')];
    var update = updates.find((candidate) => !document.getElementById(candidate.id));
    document.querySelector('[data-announcement]').textContent = update
      ? 'New update: ' + textOf(update)
      : 'This page was updated at ' + timeOf(Date.now());
  }

  // The label of its status, and its message.
  function textOf(update) {
    var parts = [...update.querySelectorAll('span:first-child, [dir]')];
    return parts.map((part) => part.textContent).join('. ');
  }

  function timeOf(instant) {
    return new Date(instant).toLocaleTimeString();
  }

  // The server leaves out the symbols of icons that a page does not use.
  function addIcons(page) {
    var sprite = document.querySelector('body > svg[hidden]');
    page.querySelectorAll('body > svg[hidden] > symbol').forEach(function (symbol) {
      if (!document.getElementById(symbol.id)) sprite.append(symbol);
    });
  }

  // The focus stays on its link or summary, if the new content has it. Links to the same address
  // may have other texts.
  function replaceContent(next) {
    var focused = live.contains(document.activeElement) && document.activeElement;
    live.innerHTML = next.innerHTML;
    if (!focused) return;
    var alike = [...live.querySelectorAll('a, summary')].filter(
      (candidate) => candidate.localName === focused.localName && candidate.href === focused.href,
    );
    var same = alike.find((candidate) => candidate.textContent === focused.textContent);
    if (same || alike[0]) (same || alike[0]).focus({ preventScroll: true });
  }

  // Says of which time the page is while it may be out of date.
  function lost(since) {
    var notice = document.querySelector('[data-loss]');
    if (since && notice.textContent) return;
    notice.textContent = since ? ' · Reconnecting, state of ' + timeOf(since) + ' (your time)' : '';
  }

  // What the page showed has been deleted.
  function gone() {
    location.reload();
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
})();
