import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { queries, service } from '../../session.ts';

interface DeleteReleaseProps {
  namespace: string;
  library: string;
  release: string;
  onDeleted: () => Promise<unknown>;
}

/** Deletes a release after showing how much space that frees, which is requested when the dialog opens. */
export function DeleteRelease({ namespace, library, release, onDeleted }: DeleteReleaseProps) {
  const text = messages.releases;
  const [isAsked, setAsked] = useState(false);
  const params = { namespace, name: library, release };
  const { data, error } = useQuery({
    queryKey: ['releases', namespace, library, release, 'deletion'],
    queryFn: ({ signal }) => service.call(routes.releases.previewReleaseDeletion, { params, signal }),
    enabled: isAsked,
    retry: (failures, failure) => failures < 2 && !(failure instanceof ApiError),
    staleTime: 0,
  });
  const freed = data
    ? text.freed(data.objectsFreed, data.bytesFreed)
    : error
      ? text.freedUnknown
      : text.freedIsAsked;
  return (
    <Confirm
      label={text.delete(release)}
      title={text.deleteTitle(release)}
      detail={`${text.deleteDetail} ${freed}`}
      onOpen={() => setAsked(true)}
      action={async () => {
        await service.call(routes.releases.deleteRelease, { params });
        await onDeleted();
        await queries.invalidateQueries({ queryKey: ['releases', namespace, library] });
      }}
    />
  );
}
