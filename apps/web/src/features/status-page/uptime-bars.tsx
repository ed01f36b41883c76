import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { PublicComponent, PublicUptime } from '@/api/types';
import { publicPaths } from '@/public-paths';
import type { PageState } from './page-state';
import {
  barDays,
  monthsBetween,
  percentageText,
  restText,
  uptimeDays,
  type UptimeDay,
} from './uptime';

/** Width of a day in the drawing, the gap to the next one included. */
const step = 5;

/** How many days a key moves the choice, which stops at the ends. */
const moves: Partial<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  Home: -barDays,
  End: barDays,
};

interface UptimeBarsProps {
  component: PublicComponent;
  uptime: PublicUptime;
  state: PageState;
}

/**
 * The bars of a component: one drawing, and a list of days that is read by pointer and arrow keys.
 */
export function UptimeBars({ component, uptime, state }: UptimeBarsProps) {
  const { organisation, generatedAt, incidents, maintenances, pastTitles } = state;
  const days = useMemo(
    () =>
      uptimeDays(component, uptime, {
        organisation,
        generatedAt,
        incidents,
        maintenances,
        pastTitles,
      }),
    [component, uptime, organisation, generatedAt, incidents, maintenances, pastTitles],
  );
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  /** The first day that there is room for. */
  const [first, setFirst] = useState(0);
  const [isFocused, setIsFocused] = useState(false);
  const last = barDays - 1;
  const day = chosen === null ? undefined : days[chosen];

  /** Returns the place of the drawing, and finds out how many days there is room for. */
  function measure(): DOMRect | undefined {
    const drawing = list.current?.querySelector('svg')?.getBoundingClientRect();
    const room = list.current?.getBoundingClientRect();
    if (!drawing?.width || !room) return undefined;
    setFirst(Math.max(0, Math.round(barDays * (1 - room.width / drawing.width))));
    return drawing;
  }

  function choose(day: number) {
    setChosen(Math.max(first, Math.min(last, day)));
  }

  function point({ clientX }: MouseEvent) {
    const drawing = measure();
    if (drawing) choose(Math.floor(((clientX - drawing.left) / drawing.width) * barDays));
  }

  const leave = () => setChosen(null);

  /** Leads to what happened on the chosen day. */
  function visit() {
    if (!day) return;
    const page = Math.floor(monthsBetween(day.date, days[last]?.date ?? day.date) / 3) + 1;
    const path = publicPaths.componentHistory(organisation.id, component.code, page);
    window.location.assign(`${path}#${day.date.slice(0, 7)}`);
  }

  function press(event: KeyboardEvent) {
    // A shortcut of the browser, such as the one that goes back.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter') visit();
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    choose((chosen ?? last) + move);
  }

  return (
    <div className="uptime" onPointerLeave={leave}>
      <div
        ref={list}
        role="listbox"
        tabIndex={0}
        aria-label={`Uptime of ${component.name}`}
        aria-activedescendant={isFocused && day ? `${id}${day.date}` : undefined}
        onFocus={() => {
          setIsFocused(true);
          measure();
          setChosen((before) => before ?? last);
        }}
        onBlur={() => {
          setIsFocused(false);
          leave();
        }}
        onKeyDown={press}
        onPointerMove={point}
        onPointerDown={point}
        // A finger only points: its tap shows the text, though the finger has left.
        onClick={(event) => {
          if ((event.nativeEvent as globalThis.PointerEvent).pointerType === 'mouse') visit();
          else point(event);
        }}
      >
        <span>
          <Drawing days={days} chosen={chosen} />
        </span>
        {isFocused ? (
          days.map(({ date, text }, index) => (
            <Option key={date} id={`${id}${date}`} isSelected={index === chosen} text={text} />
          ))
        ) : (
          <NotableDays days={days} />
        )}
      </div>
      {day && <Tip text={day.text} chosen={chosen ?? last} first={first} onDismiss={leave} />}
      <p onPointerEnter={leave}>
        <span />
        <a href={publicPaths.componentHistory(organisation.id, component.code)}>
          {percentageText(uptime)}
        </a>
        <span>Today</span>
      </p>
    </div>
  );
}

const NotableDays = memo(function NotableDays({ days }: { days: readonly UptimeDay[] }) {
  return (
    <>
      {days
        .filter(({ isNotable }) => isNotable)
        .map(({ date, text }) => (
          <Option key={date} text={text} />
        ))}
      <Option text={restText(days)} />
    </>
  );
});

interface OptionProps {
  id?: string;
  isSelected?: boolean;
  text: string;
}

function Option({ id, isSelected, text }: OptionProps) {
  return (
    <div id={id} role="option" aria-selected={isSelected}>
      {text}
    </div>
  );
}

interface TipProps {
  text: string;
  chosen: number;
  first: number;
  onDismiss: () => void;
}

/**
 * The text of the chosen day above its bar, without a gap, so that the pointer can reach it. Escape
 * dismisses it wherever the focus is. Screen readers read the active option instead.
 */
function Tip({ text, chosen, first, onDismiss }: TipProps) {
  const dismiss = useEffectEvent(({ key }: globalThis.KeyboardEvent) => {
    if (key === 'Escape') onDismiss();
  });
  useEffect(() => {
    document.addEventListener('keydown', dismiss);
    return () => document.removeEventListener('keydown', dismiss);
  }, []);
  const place = ((chosen + 0.3 - first) / (barDays - first)) * 100;
  return (
    <div
      aria-hidden
      className="uptime-tip"
      style={{ left: `${place}%`, transform: `translateX(-${place}%)` }}
    >
      {text}
    </div>
  );
}

interface DrawingProps {
  days: readonly UptimeDay[];
  chosen: number | null;
}

function Drawing({ days, chosen }: DrawingProps) {
  const end = days.length * step;
  const start = days.filter(({ counts }) => !counts).length * step;
  return (
    <svg aria-hidden viewBox="0 0 450 34" preserveAspectRatio="none">
      {start > 0 && <path className="none" d={`M0 31H${start}`} />}
      {start < end && <path className="up" d={`M${start} 23H${end}`} />}
      {[0, 1, 2, 3, 4].map((level) => {
        const strokes = days
          .map((day, index) =>
            day.isNotable && day.level === level ? `M${index * step} 17h3` : '',
          )
          .join('');
        return (
          strokes && (
            <path key={level} className={level === 0 ? undefined : `level-${level}`} d={strokes} />
          )
        );
      })}
      {chosen !== null && <path className="chosen" d={`M${chosen * step} 34h3`} />}
    </svg>
  );
}
