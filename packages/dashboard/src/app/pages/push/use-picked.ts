import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { takeHandedOver } from '../../push/hand-over.ts';
import type { Picked } from '../../push/protocol.ts';
import { sessionQuery } from '../../queries.ts';

/** The picked files: kept while the user is signed out, dropped once a different user signs in. */
export function usePicked() {
  const { data: session } = useQuery(sessionQuery);
  const who = session?.user.id ?? null;
  const [kept, setKept] = useState(() => ({ picked: takeHandedOver(), by: who }));
  if (who !== null && who !== kept.by) setKept({ picked: kept.by === null ? kept.picked : null, by: who });
  return {
    picked: kept.picked,
    setPicked: (picked: Picked | null) => setKept({ picked, by: who }),
    isSignedOut: session === null && kept.picked !== null,
  };
}
