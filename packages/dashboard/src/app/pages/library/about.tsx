import type { LibraryDetail } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { assetMessages } from '../../messages/asset.ts';
import { libraryMessages as text } from '../../messages/library.ts';
import { Fact } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { SafeLink } from '../../parts/links.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Readme } from '../../parts/readme.tsx';
import { pullLibraryPython } from '../../pull-snippets.ts';
import styles from './about.module.css';
import { libraryReadmeQuery, libraryReadmeSource } from './library-readme.ts';
import type { TabProps } from './library-tabs.tsx';

/** A library in its author's words, beside the rest of what is known about it. */
export function About({ library, address }: TabProps) {
  const { data: readme } = useQuery(libraryReadmeQuery(address, library.revision));
  return (
    <div className={`stack ${styles.columns}`}>
      <div className="stack">
        {library.description && (
          <div className={styles.description}>
            <Markdown text={library.description} />
          </div>
        )}
        {readme && (
          <Readme key={readme.sha256} source={libraryReadmeSource(address, readme, library.visibility)} />
        )}
        {readme === null && <p className="soft">{text.noReadme}</p>}
      </div>
      {readme !== undefined && (
        <aside className={`stack ${styles.beside}`} aria-label={text.about}>
          <Facts library={library} />
          {address.release === undefined && address.share === undefined && (
            <Copyable text={pullLibraryPython(address)} label={assetMessages.python} />
          )}
        </aside>
      )}
    </div>
  );
}

function Facts({ library }: { library: LibraryDetail }) {
  const { licenses, tags, provider, homepage, upstreamRepo, upstreamCommit, vectorsDim } = library;
  return (
    <dl className="stack">
      <Fact name={text.licences} value={licenses.join(', ')} />
      <Fact name={text.tags} value={tags.join(', ')} />
      <Fact name={text.provider} value={provider} />
      <Fact name={text.homepage} value={homepage && <SafeLink href={homepage} />} />
      <Fact
        name={text.upstream}
        value={
          upstreamRepo && (
            <>
              <SafeLink href={upstreamRepo} /> {upstreamCommit?.slice(0, 12)}
            </>
          )
        }
      />
      <Fact name={text.vectors} value={vectorsDim === null ? text.noVectors : text.vectorsOf} />
    </dl>
  );
}
