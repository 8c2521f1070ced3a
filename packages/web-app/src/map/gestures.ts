import { useRef } from 'preact/hooks';
import { type Point, type View, zoomed } from './geo.ts';

export type Size = { readonly width: number; readonly height: number };

/** What is used of an event. */
type At = Pick<PointerEvent, 'clientX' | 'clientY' | 'currentTarget'>;
type Touch = At & Pick<PointerEvent, 'pointerId' | 'target'>;

export const useGestures = (view: View, size: Size, move: (view: View) => void) =>
  gesturesOn(useRef(new Map<number, Point>()).current, view, size, move);

/** Drag with one finger, pinch with two, or use the wheel. */
export function gesturesOn(touches: Map<number, Point>, view: View, size: Size, move: (view: View) => void) {
  const pointOf = (event: At): Point => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  return {
    onPointerDown(event: Touch) {
      if ((event.target as HTMLElement).closest('button') !== null) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      touches.set(event.pointerId, pointOf(event));
    },
    onPointerMove(event: Touch) {
      const before = touches.get(event.pointerId);
      if (before === undefined) return;
      const now = pointOf(event);
      const [other] = [...touches].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      touches.set(event.pointerId, now);
      if (other === undefined) {
        const { center, scale } = view;
        move({
          scale,
          center: { x: center.x - (now.x - before.x) / scale, y: center.y - (now.y - before.y) / scale },
        });
        return;
      }
      const spread = (at: Point): number => Math.max(Math.hypot(at.x - other.x, at.y - other.y), 1);
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      move(zoomed(view, spread(now) / spread(before), middle, size));
    },
    onPointerUp: (event: Touch) => void touches.delete(event.pointerId),
    onPointerCancel: (event: Touch) => void touches.delete(event.pointerId),
    onWheel(event: At & Pick<WheelEvent, 'deltaY' | 'preventDefault'>) {
      event.preventDefault();
      move(zoomed(view, event.deltaY < 0 ? 1.3 : 1 / 1.3, pointOf(event), size));
    },
  };
}
