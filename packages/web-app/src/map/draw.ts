import type { Point, View } from './geo.ts';
import type { Size } from './gestures.ts';
import type { Outlines } from './outlines.ts';

const MIN_SCALE_WITH_COUNTIES = 12_000;

/** Draws land, states and, close up, counties. */
export function draw(
  canvas: HTMLCanvasElement,
  lines: Outlines,
  { center, scale }: View,
  { width, height }: Size,
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name);
  context.scale(ratio, ratio);
  const trace = (line: readonly Point[]): void => {
    for (const [index, { x, y }] of line.entries()) {
      const [left, top] = [(x - center.x) * scale + width / 2, (y - center.y) * scale + height / 2];
      if (index === 0) context.moveTo(left, top);
      else context.lineTo(left, top);
    }
  };
  const path = (layer: Outlines['land']): void => {
    context.beginPath();
    for (const line of layer) trace(line);
  };
  context.fillStyle = color('--water');
  context.fillRect(0, 0, width, height);
  path(lines.land);
  context.fillStyle = color('--surface');
  context.fill('evenodd');
  if (scale >= MIN_SCALE_WITH_COUNTIES) {
    path(lines.counties);
    context.strokeStyle = color('--line');
    context.lineWidth = 1;
    context.stroke();
  }
  for (const layer of [lines.states, lines.land]) {
    path(layer);
    context.strokeStyle = color('--edge');
    context.lineWidth = 1.2;
    context.stroke();
  }
}
