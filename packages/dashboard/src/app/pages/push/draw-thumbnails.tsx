import type { DrawnThumbnail } from '@bindery/sdk/browser/push';
import { useEffect, useRef, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { drawThumbnail, findUndrawn } from '../../push/draw-thumbnail.ts';
import { editInWorker } from '../../push/edit-in-worker.ts';
import type { Target } from '../../push/protocol.ts';
import { assetQuery } from '../../queries.ts';
import { queries } from '../../session.ts';
import styles from './push.module.css';

/** Thumbnails are published in batches of this size, so that little is lost if the page is closed. */
const BATCH = 25;

type Drawing =
  | { step: 'drawing'; done: number; total: number }
  | { step: 'ended'; drawn: number; total: number; failure: string | null };

/** Draws the models that have no thumbnail, one after another, and publishes the thumbnails. */
export function DrawThumbnails({ target: { namespace, name } }: { target: Target }) {
  const text = messages.push.thumbnails;
  const place = useRef<HTMLDivElement>(null);
  const stop = useRef<AbortController>(null);
  const [state, setState] = useState<Drawing>({ step: 'drawing', done: 0, total: 0 });

  useEffect(() => {
    const running = new AbortController();
    stop.current = running;
    void drawAll({ namespace, name }, place.current, running.signal, setState);
    return () => running.abort();
  }, [namespace, name]);

  if (state.step === 'ended') {
    return state.total === 0 ? null : (
      <p role="status">
        {text.drawn(state.drawn, state.total)} {state.failure}
      </p>
    );
  }
  return (
    <section aria-label={text.title} className={styles.drawing}>
      <p role="status">{state.total === 0 ? text.looking : text.drawing(state.done + 1, state.total)}</p>
      <div ref={place} className={styles.canvas} />
      <div className={form.actions}>
        <button type="button" className={form.quiet} onClick={() => stop.current?.abort()}>
          {text.stop}
        </button>
      </div>
    </section>
  );
}

async function drawAll(
  target: Target,
  place: HTMLElement | null,
  signal: AbortSignal,
  onState: (state: Drawing) => void,
): Promise<void> {
  const waiting: DrawnThumbnail[] = [];
  let drawn = 0;
  let total = 0;
  const publish = async () => {
    if (waiting.length === 0) return;
    await editInWorker({ type: 'thumbnails', target, drawn: waiting });
    drawn += waiting.length;
    waiting.length = 0;
    await queries.invalidateQueries();
  };
  try {
    const ids = place === null ? [] : await findUndrawn(target, signal);
    total = ids.length;
    for (const [done, id] of ids.entries()) {
      if (place === null || signal.aborted) break;
      onState({ step: 'drawing', done, total });
      const asset = await queries.fetchQuery(
        assetQuery({ namespace: target.namespace, library: target.name }, id),
      );
      const webp = await drawThumbnail(place, target, asset, signal);
      if (webp) waiting.push({ asset: id, files: asset.files, webp });
      if (waiting.length >= BATCH) await publish();
    }
    await publish();
    onState({ step: 'ended', drawn, total, failure: null });
  } catch (error) {
    onState({ step: 'ended', drawn, total, failure: error instanceof Error ? error.message : String(error) });
  }
}
