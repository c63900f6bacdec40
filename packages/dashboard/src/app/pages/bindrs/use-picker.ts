import {
  type ClientFor,
  createBindrTreePicker,
  type Identity,
  type Picker,
  type PickerState,
} from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { sessionQuery } from '../../queries.ts';
import { clientFor, identityOf } from '../../session.ts';

/** Returns a picker for the query and its state, as the signed-in user. It closes with the component. */
export function usePicker<Query, Item>(
  create: (identity: Identity, clientFor: ClientFor) => Picker<Query, Item>,
  query: Query,
): [PickerState<Item>, Picker<Query, Item>] {
  const { data: session } = useQuery(sessionQuery);
  const identity = identityOf(session ?? null);
  const [picker] = useState(() => create(identity, clientFor));
  const asked = JSON.stringify([identity, query]);
  useEffect(() => {
    const [who, what] = JSON.parse(asked);
    picker.identify(who);
    picker.show(what);
    return () => picker.close();
  }, [picker, asked]);
  const state = useSyncExternalStore(
    (listener) => picker.subscribe(listener),
    () => picker.state,
  );
  return [state, picker];
}

/** The Bindrs of a project that match a search, with their ancestors. */
export function useBindrs(namespace: string, projectSlug: string, search: string) {
  return usePicker(createBindrTreePicker, { namespace, projectSlug, search });
}
