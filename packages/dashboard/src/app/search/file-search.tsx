import { useState } from 'react';
import { similarMessages as text } from '../messages/search.ts';
import { Button } from '../parts/button.tsx';
import { FileButton } from '../parts/file-button.tsx';
import styles from './file-search.module.css';
import { PictureBox } from './picture-box.tsx';
import { type FileSearch, loadSubjects, type useFileSearch } from './search-by-file.ts';
import { SimilarAssets } from './similar-assets.tsx';

/** Opens a dialog for the picture or the model to search by, with the files that belong to it. */
export function FileSearchButton({ onPicked }: { onPicked: (files: File[]) => void }) {
  const [accept, setAccept] = useState<string>();
  const prepare = () => void loadSubjects().then(({ SUBJECTS }) => setAccept(SUBJECTS));
  return (
    <FileButton
      label={text.byFile}
      accept={accept}
      onAim={prepare}
      onPicked={(files) => onPicked([...files])}
    />
  );
}

/** What is like a picture or a model of somebody's own. */
export function FileSearchResults({
  search,
  byFile,
}: {
  search: FileSearch;
  byFile: ReturnType<typeof useFileSearch>;
}) {
  const title = text.like(search.name);
  const { picture } = search;
  const status = (
    <div role="status" className={`soft ${styles.status}`}>
      {statusOf(search)}
    </div>
  );
  return (
    <section aria-label={title} className="stack">
      <div className="row">
        <h2>{title}</h2>
        <Button label={text.clear} onClick={byFile.clear} />
      </div>
      {picture ? (
        <PictureBox {...picture} onBox={byFile.lookInside}>
          {status}
        </PictureBox>
      ) : (
        status
      )}
      <div aria-busy={search.status === 'reading'} className={styles.found}>
        {search.found && <SimilarAssets found={search.found} />}
      </div>
    </section>
  );
}

function statusOf(search: FileSearch): string {
  const { status, picture } = search;
  if (status === 'reading') return text.reading;
  const hint = picture === null ? '' : picture.shown.veil ? text.veilHint : text.boxHint;
  return status === 'failed' ? `${text.failed(search.reason)} ${hint}` : hint;
}
