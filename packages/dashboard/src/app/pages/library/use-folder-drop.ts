import { useNavigate } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { setDroppedFolder } from '../../push/dropped-folder.ts';
import { folderFromDrop } from '../../push/picked-folder.ts';
import type { Target } from '../../push/protocol.ts';

/** Returns handlers that accept a folder dropped anywhere on the page. */
export function useFolderDrop({ namespace, name }: Target, isAllowed: boolean) {
  const navigate = useNavigate();
  const [isOver, setOver] = useState(false);
  if (!isAllowed) return { isOver: false, handlers: {} };
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (event.currentTarget === event.target) setOver(false);
      },
      async onDrop(event: DragEvent) {
        event.preventDefault();
        setOver(false);
        const picked = await folderFromDrop(event.dataTransfer);
        if (picked.files.length === 0) return;
        setDroppedFolder({ namespace, name }, picked);
        await navigate({ to: '/$namespace/$library/-/push', params: { namespace, library: name } });
      },
    },
  };
}
