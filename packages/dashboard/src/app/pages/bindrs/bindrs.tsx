import type { Project } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { bindrsMessages } from '../../messages/bindrs.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionForm, NameField } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { queries, service } from '../../session.ts';
import { BindrBrowser, BindrPicker } from './bindr-browser.tsx';
import { useBindrs } from './use-picker.ts';

const NOTHING: ReadonlySet<string> = new Set();

/** The Bindrs of a project: shown to its readers; created, renamed, moved and deleted by its writers. */
export function Bindrs({ project }: { project: Project }) {
  const text = bindrsMessages;
  const { namespace, slug: projectSlug, permissions } = project;
  const [search, setSearch] = useState('');
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [state, picker] = useBindrs(namespace, projectSlug, search);
  const known = state.items.flatMap((choice) => [choice, ...choice.ancestors]);
  const chosen = known.find(({ id }) => id === chosenId);
  const refresh = async () => {
    await picker.refresh();
    await queries.invalidateQueries({ queryKey: ['note-nodes'] });
  };
  const move = useMutation({
    mutationFn: async ({ bindrId, parentId }: { bindrId: string; parentId: string }) => {
      const params = { namespace, projectSlug, bindrId };
      await service.call(routes.bindrs.patchBindr, { params, body: { parentId } });
      await refresh();
    },
  });
  const mayMove = permissions.content.create && !move.isPending;
  return (
    <Card title={text.title} detail={text.detail}>
      <BindrBrowser
        state={state}
        search={search}
        onSearch={setSearch}
        chosen={chosen ? new Set([chosen.id]) : NOTHING}
        onChoose={(id) => setChosenId(id === chosenId ? null : id)}
        onMove={mayMove ? (bindrId, parentId) => move.mutate({ bindrId, parentId }) : undefined}
        onMore={() => picker.loadMore()}
      />
      <InlineError error={move.error} />
      {permissions.content.create && (
        <NewBindr key={chosen?.id ?? ''} project={project} parent={chosen} onDone={refresh} />
      )}
      {chosen && permissions.content.create && (
        <ChangeBindr
          key={`${chosen.id} ${chosen.name}`}
          project={project}
          bindr={chosen}
          hasChildren={known.some(({ parentId }) => parentId === chosen.id)}
          onDone={refresh}
        />
      )}
    </Card>
  );
}

interface Named {
  id: string;
  name: string;
  parentId: string | null;
}

function NewBindr({
  project: { namespace, slug: projectSlug },
  parent,
  onDone,
}: {
  project: Project;
  parent: Named | undefined;
  onDone: () => Promise<unknown>;
}) {
  const text = bindrsMessages;
  const [name, setName] = useState('');
  const run = async () => {
    await service.call(routes.bindrs.createBindr, {
      params: { namespace, projectSlug },
      body: { name, ...(parent && { parentId: parent.id }) },
    });
    setName('');
    await onDone();
  };
  return (
    <ActionForm label={text.make} isQuiet run={run}>
      <NameField
        label={parent ? text.newBelow(parent.name) : text.newAtTop}
        value={name}
        onChange={setName}
      />
    </ActionForm>
  );
}

function ChangeBindr({
  project: { namespace, slug: projectSlug, permissions },
  bindr,
  hasChildren,
  onDone,
}: {
  project: Project;
  bindr: Named;
  hasChildren: boolean;
  onDone: () => Promise<unknown>;
}) {
  const text = bindrsMessages;
  const params = { namespace, projectSlug, bindrId: bindr.id };
  const [name, setName] = useState(bindr.name);
  const [isMoving, setMoving] = useState(false);
  const [holdsOthers, setHoldsOthers] = useState(false);
  const isRecursive = hasChildren || holdsOthers;
  const change = async (body: { name?: string; parentId?: string | null }) => {
    await service.call(routes.bindrs.patchBindr, { params, body });
    await onDone();
  };
  return (
    <section className="form" aria-label={text.changeOf(bindr.name)}>
      <ActionForm label={text.rename} isQuiet mayRun={name !== bindr.name} run={() => change({ name })}>
        <NameField label={text.nameOf(bindr.name)} value={name} onChange={setName} />
      </ActionForm>
      <div className="actions">
        <Button label={text.move} onClick={() => setMoving(true)} />
        {bindr.parentId !== null && (
          <ActionButton label={text.moveToTop} run={() => change({ parentId: null })} />
        )}
        {permissions.content.delete && (
          <Confirm
            label={text.remove}
            title={text.removeTitle(bindr.name)}
            detail={isRecursive ? text.removeAllDetail : text.removeDetail}
            action={async () => {
              const query = { recursive: isRecursive ? 'true' : 'false' } as const;
              try {
                await service.call(routes.bindrs.deleteBindr, { params, query });
              } catch (error) {
                // It has children that are not on this page of the tree.
                setHoldsOthers(error instanceof ApiError && error.code === 'bindr_not_empty');
                throw error;
              }
              await onDone();
            }}
          />
        )}
      </div>
      {isMoving && (
        <BindrPicker
          title={text.moveTitle(bindr.name)}
          namespace={namespace}
          projectSlug={projectSlug}
          chosen={bindr.parentId === null ? NOTHING : new Set([bindr.parentId])}
          onChoose={async (parentId) => {
            await change({ parentId });
            setMoving(false);
          }}
          onClose={() => setMoving(false)}
        />
      )}
    </section>
  );
}
