import type { BodyInputOf, LibraryDetail } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toNamespace } from '../../links.ts';
import { editMessages, historyMessages, manageMessages as text } from '../../messages/library.ts';
import { proposalMessages } from '../../messages/proposals.ts';
import { pushMessages } from '../../messages/push.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { MetadataForm } from '../../parts/edit-metadata.tsx';
import { ActionForm, Done, TextField } from '../../parts/form.tsx';
import type { Target } from '../../push/protocol.ts';
import { historyQuery } from '../../queries.ts';
import { change, remove } from '../../session.ts';
import { DrawThumbnails } from '../push/draw-thumbnails.tsx';
import styles from './library-settings.module.css';
import type { TabProps } from './library-tabs.tsx';
import { WatchedSource } from './watched-source.tsx';

/** Settings for those who manage a library: its details, visibility, share link, and deletion. */
export function LibrarySettings({ library, address }: TabProps) {
  const navigate = useNavigate();
  const params = { namespace: library.namespace, name: library.name };
  const save: Save = (body) => change(routes.libraries.patchLibrary, { params, body });
  const leave = () => navigate(toNamespace(library.namespace));
  const key = ['library', library.namespace, library.name];
  const [cancels, setCancels] = useState(0);
  const isPublic = library.visibility === 'public';
  const { shareToken } = library;
  const { data: history } = useQuery(historyQuery(address, library.revision));

  return (
    <div className={styles.columns}>
      <Card title={editMessages.title} isRegion>
        <MetadataForm
          key={cancels}
          target={params}
          asset={null}
          current={library}
          onCancel={() => setCancels(cancels + 1)}
        />
      </Card>
      <div className="stack">
        <Card title={text.visibility} detail={isPublic ? text.isPublic : text.isPrivate} isRegion>
          <div className="actions">
            <ActionButton
              label={isPublic ? text.makePrivate : text.makePublic}
              run={() => save({ visibility: isPublic ? 'private' : 'public' })}
            />
            <Confirm
              label={text.trash}
              title={text.trashTitle(library.title ?? library.name)}
              detail={text.trashDetail}
              action={() => remove(routes.libraries.deleteLibrary, { params }, leave, key)}
            />
          </div>
        </Card>
        <Card title={text.share} detail={shareToken ? text.shareDetail : text.noShare} isRegion>
          {shareToken && <Copyable text={shareLink(library, shareToken)} label={text.share} />}
          {/* Replaced whole, so that the focus goes to what was made. */}
          <div key={shareToken ? 'made' : 'none'} className="actions">
            {shareToken ? (
              <>
                <Confirm
                  label={text.rotate}
                  title={text.rotateTitle}
                  detail={text.unshareDetail}
                  action={() => save({ share: 'rotate' })}
                />
                <Confirm
                  label={text.unshare}
                  title={text.unshareTitle}
                  detail={text.unshareDetail}
                  action={() => save({ share: false })}
                />
              </>
            ) : (
              <ActionButton label={text.makeShare} run={() => save({ share: true })} />
            )}
          </div>
        </Card>
        <WatchedSource library={library} />
        <RequiredChecks names={library.requiredChecks ?? []} save={save} />
        <Card title={pushMessages.thumbnails.heading} detail={pushMessages.thumbnails.detail} isRegion>
          <LaterThumbnails target={params} />
        </Card>
        {history && (
          <Card title={historyMessages.title} detail={historyMessages.kept(history.days)} isRegion>
            <p className="detail">{historyMessages.cost(history.revisions, history.bytes)}</p>
          </Card>
        )}
      </div>
    </div>
  );
}

type Save = (body: BodyInputOf<typeof routes.libraries.patchLibrary>) => Promise<unknown>;

function RequiredChecks({ names, save }: { names: readonly string[]; save: Save }) {
  const [typed, setTyped] = useState(names.join('\n'));
  const requiredChecks = typed.split('\n').filter((name) => name.trim() !== '');
  return (
    <Card title={proposalMessages.requiredTitle} detail={proposalMessages.requiredDetail} isRegion>
      <ActionForm
        label={proposalMessages.require}
        isStacked
        isQuiet
        run={() => save({ requiredChecks })}
        done={() => <Done>{editMessages.saved}</Done>}
      >
        <TextField label={proposalMessages.requiredNames} value={typed} onChange={setTyped} />
      </ActionForm>
    </Card>
  );
}

/** Draws what has no picture, on request. */
function LaterThumbnails({ target }: { target: Target }) {
  const [isDrawing, setDrawing] = useState(false);
  if (isDrawing) return <DrawThumbnails target={target} />;
  return (
    <div className="actions">
      <Button label={pushMessages.thumbnails.draw} onClick={() => setDrawing(true)} />
    </div>
  );
}

function shareLink({ namespace, name }: LibraryDetail, token: string): string {
  return `${location.origin}/app/${namespace}/${name}?${new URLSearchParams({ share: token })}`;
}
