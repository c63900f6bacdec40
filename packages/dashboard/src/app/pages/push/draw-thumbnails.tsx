import type { DrawnThumbnail } from '@bindery/sdk/browser/push';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { messageOf } from '../../../ask.ts';
import { pushMessages } from '../../messages/push.ts';
import { Button } from '../../parts/button.tsx';
import { drawThumbnail, findUndrawn, type Undrawn } from '../../push/draw-thumbnail.ts';
import { editInWorker } from '../../push/edit-in-worker.ts';
import type { Target } from '../../push/protocol.ts';
import { assetQuery } from '../../queries.ts';
import { queries } from '../../session.ts';

/** Thumbnails are published in batches of this size, so that little is lost if the page is closed. */
const BATCH = 25;

type Drawing =
  | { step: 'drawing'; done: number; total: number }
  | { step: 'ended'; drawn: number; total: number; failure: string | null };

/** Draws the models that have no thumbnail, one after another, and publishes the thumbnails. */
export function DrawThumbnails({
  target: { namespace, name },
  onProblem,
}: {
  target: Target;
  /** Called with each asset of which there is no thumbnail, and why; by default they are listed. */
  onProblem?: (asset: string, problem: string) => void;
}) {
  const text = pushMessages.thumbnails;
  const place = useRef<HTMLDivElement>(null);
  const stop = useRef<AbortController>(null);
  const [state, setState] = useState<Drawing>({ step: 'drawing', done: 0, total: 0 });
  const [problems, setProblems] = useState<readonly string[]>([]);
  const tell = useEffectEvent((asset: string, problem: string) => {
    if (onProblem) onProblem(asset, problem);
    else setProblems((known) => [...known, `${asset}: ${text.problem(problem)}`]);
  });

  useEffect(() => {
    const running = new AbortController();
    stop.current = running;
    const onProblem = (asset: string, problem: string) => tell(asset, problem);
    void drawAll({ namespace, name }, place.current, running.signal, { onState: setState, onProblem });
    return () => running.abort();
  }, [namespace, name]);

  if (state.step === 'ended') {
    return (
      <>
        <p role="status">
          {state.total === 0 ? text.all : text.drawn(state.drawn, state.total)} {state.failure}
        </p>
        <ul className="detail">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </>
    );
  }
  return (
    <>
      <p role="status">{state.total === 0 ? text.looking : text.drawing(state.done + 1, state.total)}</p>
      <Button label={text.stop} onClick={() => stop.current?.abort()} />
      <div ref={place} className="visually-hidden" />
    </>
  );
}

async function drawAll(
  target: Target,
  place: HTMLElement | null,
  signal: AbortSignal,
  {
    onState,
    onProblem,
  }: { onState: (state: Drawing) => void; onProblem: (asset: string, problem: string) => void },
): Promise<void> {
  const waiting: DrawnThumbnail[] = [];
  let drawn = 0;
  let total = 0;
  const publish = async () => {
    if (waiting.length === 0) return;
    await editInWorker({ type: 'thumbnails', target, drawn: waiting });
    drawn += waiting.filter(({ webp }) => webp !== null).length;
    waiting.length = 0;
    await queries.invalidateQueries();
  };
  const draw = async ({ id, hasThumbnail }: Undrawn) => {
    if (place === null) return;
    const asset = await queries.fetchQuery(
      assetQuery({ namespace: target.namespace, library: target.name }, id),
    );
    try {
      const made = await drawThumbnail(place, target, asset, signal);
      waiting.push({ asset: id, files: asset.files, ...made });
    } catch (error) {
      if (!signal.aborted && !hasThumbnail) onProblem(id, messageOf(error));
    }
  };
  try {
    const undrawn = await findUndrawn(target, signal);
    total = undrawn.filter(({ hasThumbnail }) => !hasThumbnail).length;
    for (const [done, one] of undrawn.entries()) {
      if (signal.aborted) break;
      onState({ step: 'drawing', done, total: undrawn.length });
      if (one.problem === null) await draw(one);
      else if (!one.hasThumbnail) onProblem(one.id, one.problem);
      if (waiting.length >= BATCH) await publish();
    }
    await publish();
    onState({ step: 'ended', drawn, total, failure: null });
  } catch (error) {
    onState({ step: 'ended', drawn, total, failure: messageOf(error) });
  }
}
