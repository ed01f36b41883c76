import { formatInstant } from '@/ui/datetime';
import { distanceMs, distanceText } from '@/features/status-page/relative-time';

/**
 * Writes the times of a page in the viewer's time zone, as time.tsx does, and how far away they are
 * until `signal` is aborted.
 */
export function showLocalTimes(page: ParentNode, signal: AbortSignal): void {
  for (const time of page.querySelectorAll('time')) {
    time.title = time.dateTime;
    time.textContent = formatInstant(time.dateTime);
  }
  writeDistances(page);
  const timer = setInterval(() => writeDistances(page), distanceMs);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    writeDistances(page);
  });
}

function writeDistances(page: ParentNode): void {
  const now = Date.now();
  for (const place of page.querySelectorAll('.time')) {
    const instant = place.querySelector('time')?.dateTime;
    if (!instant) continue;
    let distance = place.querySelector('.time-distance');
    if (!distance) {
      distance = document.createElement('span');
      distance.className = 'time-distance';
      place.append(distance);
    }
    // Those of incidents and updates, and of completed maintenances, by their colour.
    const isPast = place.matches('span,.past:has([data-tone=operational]) *');
    distance.textContent = distanceText(instant, now, isPast);
  }
}
