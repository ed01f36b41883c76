import {
  closestCenter,
  type Active,
  type CollisionDetection,
  type KeyboardCoordinateGetter,
  type Over,
} from '@dnd-kit/core';
import { accepts, type Item, type Place } from './order-tree';

export function itemOf({ data }: Pick<Active, 'data'>): Item {
  return data.current as Item;
}

export function placeOf({ data }: Pick<Over, 'data'>): Place {
  return data.current as Place;
}

/** The place nearest to what is dragged, of those where it may be. */
export const closestPlace: CollisionDetection = ({ active, droppableContainers, ...drag }) =>
  closestCenter({
    active,
    droppableContainers: droppableContainers.filter((place) =>
      accepts(itemOf(active), placeOf(place)),
    ),
    ...drag,
  });

const steps: Record<string, number> = {
  ArrowUp: -1,
  ArrowLeft: -1,
  ArrowDown: 1,
  ArrowRight: 1,
};

/** Moves to the previous or the next place on the page, by an arrow key. */
export const stepToPlace: KeyboardCoordinateGetter = (event, { context, currentCoordinates }) => {
  const { active, collisionRect, droppableContainers, droppableRects, over } = context;
  const step = steps[event.code];
  if (step === undefined || active === null || collisionRect === null) return undefined;
  event.preventDefault();
  const centres = droppableContainers
    .getEnabled()
    .filter((place) => accepts(itemOf(active), placeOf(place)))
    .flatMap(({ id }) => {
      const rect = droppableRects.get(id);
      return rect ? [{ id, y: rect.top + rect.height / 2 }] : [];
    })
    .sort((a, b) => a.y - b.y);
  const current = centres.findIndex(({ id }) => id === over?.id);
  const next = centres[current + step];
  if (next === undefined) return undefined;
  return { x: currentCoordinates.x, y: next.y - collisionRect.height / 2 };
};
