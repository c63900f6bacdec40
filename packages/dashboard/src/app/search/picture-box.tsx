import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { similarMessages as text } from '../messages/search.ts';
import { Button } from '../parts/button.tsx';
import { BytesPicture } from '../parts/bytes-picture.tsx';
import styles from './picture-box.module.css';

/** A box in a picture, in shares of its width and height. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Shares of the picture: the least that a box has of it, and how far an arrow key goes. */
const LEAST = 0.05;
const STEP = 0.02;

const MIDDLE: Box = { left: 0.25, top: 0.25, width: 0.5, height: 0.5 };

const ARROWS: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** The box after its handle has gone so far. */
type Change = (across: number, down: number) => Box;

/**
 * A picture that is searched by, in which somebody says with pointer or keyboard where the thing is. Nothing is shown of a
 * picture that the browser cannot read.
 */
export function PictureBox({
  file,
  box,
  onBox,
}: {
  file: File;
  box: Box | null;
  onBox: (box: Box | null) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  /** While it is changed. */
  const [changing, setChanging] = useState<Box | null>(null);
  const [isUnreadable, setIsUnreadable] = useState(false);
  if (isUnreadable) return null;
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
    handle.addEventListener(
      'pointercancel',
      () => {
        ended.abort();
        finish(null);
      },
      { signal },
    );
  };

  const draw = (event: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const [x, y] = [(event.clientX - left) / width, (event.clientY - top) / height];
    drag(event, (across, down) => ({
      left: Math.min(x, x + across),
      top: Math.min(y, y + down),
      width: Math.abs(across),
      height: Math.abs(down),
    }));
  };

  const handle = (changeOf: (box: Box) => Change) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => shown && drag(event, changeOf(shown)),
    onKeyDown: (event: KeyboardEvent) => {
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
        <BytesPicture
          bytes={file}
          label={text.picture}
          draggable={false}
          onError={() => setIsUnreadable(true)}
        />
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
              style={{ left: percent(shown.left + shown.width), top: percent(shown.top + shown.height) }}
              aria-label={text.resizeBox}
              {...handle(resized)}
            />
          </>
        )}
      </div>
      <div className="row">
        <span className="soft">{text.boxHint}</span>
        {box === null ? (
          <Button label={text.addBox} onClick={() => onBox(MIDDLE)} />
        ) : (
          <Button label={text.wholePicture} onClick={() => onBox(null)} />
        )}
      </div>
    </div>
  );
}

function moved(box: Box): Change {
  return (across, down) => ({ ...box, left: box.left + across, top: box.top + down });
}

function resized(box: Box): Change {
  return (across, down) => ({ ...box, width: box.width + across, height: box.height + down });
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
