import { useRef } from 'preact/hooks';
import { type Point, type View, zoomed } from './geo.ts';

export type Size = { readonly width: number; readonly height: number };

/** Drag with one finger, pinch with two, or use the wheel. */
export function useGestures(view: View, size: Size, move: (view: View) => void) {
  const touches = useRef(new Map<number, Point>());
  const pointOf = (event: PointerEvent | WheelEvent): Point => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  return {
    onPointerDown(event: PointerEvent) {
      if ((event.target as HTMLElement).closest('button') !== null) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      touches.current.set(event.pointerId, pointOf(event));
    },
    onPointerMove(event: PointerEvent) {
      const before = touches.current.get(event.pointerId);
      if (before === undefined) return;
      const now = pointOf(event);
      const [other] = [...touches.current].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      touches.current.set(event.pointerId, now);
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
    onPointerUp: (event: PointerEvent) => void touches.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void touches.current.delete(event.pointerId),
    onWheel(event: WheelEvent) {
      event.preventDefault();
      move(zoomed(view, event.deltaY < 0 ? 1.3 : 1 / 1.3, pointOf(event), size));
    },
  };
}
