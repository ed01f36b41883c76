import { useRef, useState, type PointerEvent } from 'react';

const thresholdPx = 20;
const thresholdSpeed = 0.11;

interface Offset {
  x: number;
  y: number;
}

interface Start extends Offset {
  time: number;
}

/** Follows a swipe to the bottom or right. Calls `onDismiss` if it was far or fast enough. */
export function useSwipe(onDismiss: () => void) {
  const start = useRef<Start | null>(null);
  const [offset, setOffset] = useState<Offset | null>(null);

  function travelled(event: PointerEvent, from: Start): Offset {
    const x = Math.max(0, event.clientX - from.x);
    const y = Math.max(0, event.clientY - from.y);
    return x >= y ? { x, y: 0 } : { x: 0, y };
  }

  function release(event: PointerEvent) {
    const from = start.current;
    start.current = null;
    if (from === null) return;
    const { x, y } = travelled(event, from);
    const distance = Math.max(x, y);
    const speed = distance / Math.max(1, event.timeStamp - from.time);
    if (distance >= thresholdPx || speed > thresholdSpeed) onDismiss();
    else setOffset(null);
  }

  return {
    offset,
    handlers: {
      onPointerDown(event: PointerEvent) {
        const onControl = event.target instanceof Element && event.target.closest('button, a');
        if (event.button !== 0 || onControl) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY, time: event.timeStamp };
      },
      onPointerMove(event: PointerEvent) {
        if (start.current !== null) setOffset(travelled(event, start.current));
      },
      onPointerUp: release,
      onPointerCancel() {
        start.current = null;
        setOffset(null);
      },
    },
  };
}
