import type { Node, Note, NoteNodes } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toProject } from '../../links.ts';
import { notesMessages as text } from '../../messages/notes.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { projectQuery } from '../../queries.ts';
import { change, queries, service } from '../../session.ts';
import { BindrPicker } from '../bindrs/bindr-browser.tsx';
import { AddToProject } from './add-to-project.tsx';

const nodesQuery = ({ namespace, id: noteId }: Note) =>
  queryOptions({
    queryKey: ['note-nodes', namespace, noteId],
    queryFn: ({ signal }) =>
      service.call(routes.notes.listNoteProjects, {
        params: { namespace, noteId },
        query: { view: 'nodes' },
        signal,
      }) as Promise<NoteNodes>,
  });

const refresh = () => queries.invalidateQueries({ queryKey: ['note-nodes'] });

/** The projects that a Note is filed in, if the viewer may see them, and its Bindrs in each. */
export function NoteProjects({ note }: { note: Note }) {
  const { data, error } = useQuery(nodesQuery(note));
  return (
    <Card title={text.places}>
      <InlineError error={error} />
      <ul className="list">
        {data?.nodes.map((node) => (
          <NoteProject key={node.id} note={note} node={node} />
        ))}
        {data?.nodes.length === 0 && <li className="detail">{text.noPlaces}</li>}
      </ul>
      {note.viewerCanWrite && data && <AddToProject note={note} nodes={data.nodes} onDone={refresh} />}
    </Card>
  );
}

function NoteProject({ note, node }: { note: Note; node: Node }) {
  const { namespace } = note;
  const { project } = node;
  const { data: details } = useQuery(projectQuery(namespace, project.slug));
  const [isTagging, setTagging] = useState(false);
  const rights = details?.permissions.content;
  const tags = new Set(node.bindrs.map(({ id }) => id));
  const projectParams = { namespace, projectSlug: project.slug };

  const toggle = (bindrId: string) => {
    const route = tags.has(bindrId) ? routes.bindrs.untagNode : routes.bindrs.tagNode;
    return change(route, { params: { ...projectParams, bindrId, nodeId: node.id } }, ['note-nodes']);
  };

  return (
    <li>
      <span>
        <Link {...toProject(namespace, project.slug)}>{project.displayName}</Link>
        {node.bindrs.length > 0 && (
          <ul className="row" aria-label={text.tagsOf(project.displayName)}>
            {node.bindrs.map(({ id, name }) => (
              <li key={id} className="badge">
                {name}
              </li>
            ))}
          </ul>
        )}
      </span>
      <span className="actions">
        {rights?.create && (
          <Button
            label={text.tags}
            aria-label={text.tagsOf(project.displayName)}
            onClick={() => setTagging(true)}
          />
        )}
        {rights?.delete && note.viewerCanWrite && (
          <Confirm
            label={text.unfile}
            name={text.unfileOf(project.displayName)}
            title={text.unfileTitle(project.displayName)}
            detail={text.unfileDetail}
            isReversible
            action={() => change(routes.notes.unfileNote, { params: { ...projectParams, noteId: note.id } })}
          />
        )}
      </span>
      {isTagging && (
        <BindrPicker
          title={text.tagsOf(project.displayName)}
          namespace={namespace}
          projectSlug={project.slug}
          chosen={tags}
          many
          onChoose={toggle}
          onClose={() => setTagging(false)}
        />
      )}
    </li>
  );
}
