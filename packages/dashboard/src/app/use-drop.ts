import { type DragEvent, useState } from 'react';

/** What a place needs to take files that are dropped on it, and whether they are over it now. */
export function useDrop(onDrop: (dropped: DataTransfer) => unknown, isAllowed = true) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      setOver(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      void onDrop(event.dataTransfer);
    },
  };
  return { isOver, handlers: isAllowed ? handlers : {} };
}
