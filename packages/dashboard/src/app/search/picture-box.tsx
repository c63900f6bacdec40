import {
  type ComponentProps,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useRef,
  useState,
} from 'react';
import type { Box } from '../../viewer-protocol.ts';
import { similarMessages as text } from '../messages/search.ts';
import { Button } from '../parts/button.tsx';
import styles from './picture-box.module.css';
import type { ShownPicture } from './subjects.ts';

/** Shares of the picture: the least that a box has of it, and how far an arrow key goes. */
const LEAST = 0.05;
const STEP = 0.02;

/** Of the picture, in rem. */
const HIGHEST = 18;
/** Of the corner, which is wholly within the picture. */
const RADIUS = '0.75rem';

const MIDDLE: Box = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };

const ARROWS: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** The box after its handle has gone so far. */
type Change = (across: number, down: number) => Box;

/** A picture that is searched by, in which somebody sees what was taken for the thing, and says where else it is. */
export function PictureBox({
  shown: { whole, veil },
  box,
  onBox,
  children,
}: {
  shown: ShownPicture;
  box: Box | null;
  onBox: (box: Box | null) => void;
  children: ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  /** While it is changed. */
  const [changing, setChanging] = useState<Box | null>(null);
  const boxButton = useRef<HTMLButtonElement>(null);
  const shown = changing ?? box;

  const finish = (changed: Box | null) => {
    setChanging(null);
    if (changed !== null) onBox(changed);
  };

  const drag = (event: PointerEvent<HTMLElement>, change: Change) => {
    if (event.button !== 0 || frame.current === null) return;
    event.stopPropagation();
    const { width, height } = frame.current.getBoundingClientRect();
    const { clientX, clientY, pointerId } = event;
    const handle: HTMLElement = event.currentTarget;
    const changedBy = (to: { clientX: number; clientY: number }) =>
      inside(change((to.clientX - clientX) / width, (to.clientY - clientY) / height));
    const ended = new AbortController();
    const { signal } = ended;
    handle.setPointerCapture(pointerId);
    handle.addEventListener('pointermove', (to) => setChanging(changedBy(to)), { signal });
    handle.addEventListener(
      'pointerup',
      (to) => {
        ended.abort();
        const hasMoved = Math.hypot(to.clientX - clientX, to.clientY - clientY) > 4;
        finish(hasMoved ? changedBy(to) : null);
      },
      { signal },
    );
    const cancel = () => {
      ended.abort();
      finish(null);
    };
    handle.addEventListener('pointercancel', cancel, { signal });
    // Before whatever is around the picture sees the key, wherever the focus is.
    addEventListener('keydown', (pressed) => takesEscape(pressed) && cancel(), { signal, capture: true });
  };

  const draw = (event: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const [x, y] = [(event.clientX - left) / width, (event.clientY - top) / height];
    drag(event, (across, down) => {
      const [toX, toY] = [within(x + across, 0, 1), within(y + down, 0, 1)];
      return {
        left: Math.min(x, toX),
        top: Math.min(y, toY),
        width: Math.abs(toX - x),
        height: Math.abs(toY - y),
      };
    });
  };

  const leaveBox = () => {
    boxButton.current?.focus();
    onBox(null);
  };

  const handle = (changeOf: (box: Box) => Change) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => shown && drag(event, changeOf(shown)),
    onKeyDown: (event: KeyboardEvent) => {
      if (takesEscape(event)) return changing === null ? leaveBox() : finish(null);
      const [across, down] = ARROWS[event.key] ?? [0, 0];
      if (shown === null || (across === 0 && down === 0)) return;
      event.preventDefault();
      setChanging(inside(changeOf(shown)(across, down)));
    },
    onKeyUp: () => finish(changing),
  });

  return (
    <div className={styles.picture}>
      <div ref={frame} className={styles.frame} onPointerDown={draw}>
        <Pixels
          of={whole}
          role="img"
          aria-label={text.picture}
          style={{ maxWidth: `${(HIGHEST * whole.width) / whole.height}rem` }}
        />
        {veil && changing === null && <Pixels of={veil} className={styles.veil} aria-hidden />}
        {shown && (
          <>
            <button
              type="button"
              className={styles.box}
              style={placeOf(shown)}
              aria-label={text.moveBox}
              {...handle(moved)}
            />
            <button
              type="button"
              className={styles.corner}
              style={{
                left: `min(${percent(shown.left + shown.width)}, 100% - ${RADIUS})`,
                top: `min(${percent(shown.top + shown.height)}, 100% - ${RADIUS})`,
              }}
              aria-label={text.resizeBox}
              {...handle(resized)}
            />
          </>
        )}
      </div>
      <div className="row">
        <Button
          ref={boxButton}
          label={box ? text.wholePicture : text.addBox}
          onClick={() => onBox(box ? null : MIDDLE)}
        />
        {children}
      </div>
    </div>
  );
}

function Pixels({ of: pixels, ...canvas }: { of: ImageData } & ComponentProps<'canvas'>) {
  const draw = useCallback(
    (canvas: HTMLCanvasElement | null) => canvas?.getContext('2d')?.putImageData(pixels, 0, 0),
    [pixels],
  );
  return <canvas ref={draw} width={pixels.width} height={pixels.height} {...canvas} />;
}

/** Whether a key is Escape, which nobody else is to see then. */
function takesEscape(event: Pick<Event, 'preventDefault' | 'stopPropagation'> & { key: string }): boolean {
  if (event.key !== 'Escape') return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

function moved(box: Box): Change {
  return (across, down) => ({ ...box, left: box.left + across, top: box.top + down });
}

function resized(box: Box): Change {
  return (across, down) => ({
    ...box,
    width: Math.min(box.width + across, 1 - box.left),
    height: Math.min(box.height + down, 1 - box.top),
  });
}

/** The box, as far as it is inside of the picture and large enough. */
function inside(box: Box): Box {
  const width = within(box.width, LEAST, 1);
  const height = within(box.height, LEAST, 1);
  return { left: within(box.left, 0, 1 - width), top: within(box.top, 0, 1 - height), width, height };
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function placeOf({ left, top, width, height }: Box) {
  return { left: percent(left), top: percent(top), width: percent(width), height: percent(height) };
}

function percent(share: number): string {
  return `${share * 100}%`;
}
