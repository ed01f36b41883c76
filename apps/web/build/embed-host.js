// Inserts the live banner of a status page into the page that loads this script. It needs no
// cookies, writes no style attributes and no markup, and asks of the host's policy only that
// script-src and frame-src allow its origin.
(function () {
  var script = document.currentScript;
  if (!script) return;
  var address = new URL(script.src.replace(/\.js(?=$|[?#])/, ''));
  var always = script.getAttribute('data-show') === 'always';
  var corner = /^(top|bottom)-(left|right)$/.exec(script.getAttribute('data-position') || '');
  var frame = document.createElement('iframe');

  function style(values) {
    for (var name in values) frame.style[name] = values[name];
  }

  function show(isShown, height) {
    style({
      height: isShown ? height + 'px' : '0',
      visibility: isShown ? 'visible' : 'hidden',
      position: corner ? 'fixed' : isShown ? 'static' : 'absolute',
    });
  }

  addEventListener('message', function (event) {
    var data = event.data;
    if (event.source !== frame.contentWindow || event.origin !== address.origin) return;
    if (!data || data.type !== 'allclear-embed' || typeof data.height !== 'number') return;
    show(always || data.trouble === true, Math.min(Math.max(data.height, 0), 400));
  });

  frame.title = script.getAttribute('data-title') || 'Service status';
  frame.referrerPolicy = 'no-referrer';
  style({ border: '0', display: 'block', width: '100%', colorScheme: 'light dark' });
  if (corner) {
    style({ width: 'min(24rem, calc(100vw - 2rem))', zIndex: '2147483000' });
    frame.style[corner[1]] = '1rem';
    frame.style[corner[2]] = '1rem';
  }
  show(false, 0);
  frame.src = address.href;

  function insert() {
    if (corner || document.head.contains(script)) document.body.appendChild(frame);
    else script.insertAdjacentElement('afterend', frame);
  }

  if (document.body) insert();
  else document.addEventListener('DOMContentLoaded', insert);
})();
