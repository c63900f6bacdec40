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
  return (
    <section aria-label={title} className="stack">
      <div className="row">
        <h2>{title}</h2>
        <Button label={text.clear} onClick={byFile.clear} />
      </div>
      {picture && (
        <PictureBox
          key={picture.file.name}
          {...picture}
          onBox={(box) => byFile.start([picture.file], { ...picture, box })}
        />
      )}
      <div role="status" className={`soft ${styles.status}`}>
        {search.status === 'reading' && text.reading}
        {search.status === 'failed' && text.failed(search.reason)}
      </div>
      {search.status === 'found' && <SimilarAssets found={search.found} />}
    </section>
  );
}
