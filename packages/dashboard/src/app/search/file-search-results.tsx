import { messages } from '../messages.ts';
import form from '../parts/form.module.css';
import styles from './file-search.module.css';
import type { FileSearch } from './search-by-file.ts';
import { SimilarAssets } from './similar-assets.tsx';

/** What is like a picture or a model of somebody's own. */
export function FileSearchResults({ search, onClear }: { search: FileSearch; onClear: () => void }) {
  const text = messages.similar;
  const title = text.like(search.name);
  return (
    <section aria-label={title} className={styles.results}>
      <div className={styles.head}>
        <h2>{title}</h2>
        <button type="button" className={form.quiet} onClick={onClear}>
          {text.clear}
        </button>
      </div>
      <div role="status" className={styles.status}>
        {search.status === 'reading' && text.reading}
        {search.status === 'failed' && text.failed(search.reason)}
      </div>
      {search.status === 'found' && <SimilarAssets found={search.found} />}
    </section>
  );
}
