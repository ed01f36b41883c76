import { beforeEach, expect, it, vi } from 'vitest';
import { afterConnected, type ConnectionState } from '@/features/status-page/connection-state';
import { showConnection, showTimeZone } from './live-indicator';

beforeEach(() => {
  vi.setSystemTime('2026-11-20T14:00:00.000Z');
  document.body.innerHTML =
    '<div><p class="live"><span></span><span>State of <time></time></span></p><p>All times are in UTC</p></div>';
  return () => vi.useRealTimers();
});

const shown = () => document.querySelector('.live')?.innerHTML;

it('shows the connection like React', () => {
  const asOf = '2026-11-20T12:00:00.000Z';
  let connection: ConnectionState = { status: 'connecting', asOf };
  showConnection(document, connection);
  expect(shown()).toBe('<span data-connection="connecting"></span><span>Connecting</span>');
  connection = afterConnected(connection, true, '2026-11-20T12:00:01.000Z');
  showConnection(document, connection);
  expect(shown()).toBe('<span data-connection="live"></span><span>Live</span>');
  for (const lostAt of ['2026-11-20T13:07:00.000Z', '2026-11-20T13:30:00.000Z']) {
    connection = afterConnected(connection, false, lostAt);
    showConnection(document, connection);
    expect(shown()).toBe(
      '<span data-connection="reconnecting"></span><span>Reconnecting · state of ' +
        '<time datetime="2026-11-20T13:07:00.000Z" title="Nov 20, 2026 02:07:00 PM">02:07 PM</time></span>',
    );
  }
});

it('leaves a text that stays as it is, so that a screen reader keeps its place in it', () => {
  const connection: ConnectionState = { status: 'live', asOf: '2026-11-20T12:00:00.000Z' };
  const text = () => document.querySelector('.live')?.lastChild;
  for (const connected of [true, false]) {
    const first = afterConnected(connection, connected, '2026-11-20T13:07:00.000Z');
    showConnection(document, first);
    const before = text();
    showConnection(document, afterConnected(first, connected, '2026-11-20T13:30:00.000Z'));
    expect(text()).toBe(before);
  }
});

it('names the time zone of the viewer', () => {
  showTimeZone(document);
  expect(document.querySelector('.live + p')).toHaveTextContent('All times are in Europe/Berlin');
});
