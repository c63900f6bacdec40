import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { takeDroppedFolder } from '../../push/dropped-folder.ts';
import type { PickedFolder, Target } from '../../push/protocol.ts';
import { sessionQuery } from '../../queries.ts';

/**
 * The picked files: kept while the user is signed out, dropped once a different user signs in. They start with what was
 * dropped on the page of `target`; null for a library that is not there yet.
 */
export function usePickedFolder(target: Target | null) {
  const { data: session } = useQuery(sessionQuery);
  const who = session?.user.id ?? null;
  const [kept, setKept] = useState(() => ({ picked: takeDroppedFolder(target), by: who }));
  if (who !== null && who !== kept.by) setKept({ picked: kept.by === null ? kept.picked : null, by: who });
  return {
    picked: kept.picked,
    setPicked: (picked: PickedFolder | null) => setKept({ picked, by: who }),
    isSignedOut: session === null && kept.picked !== null,
  };
}
