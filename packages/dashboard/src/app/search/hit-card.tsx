import type { SearchExplanation } from '@bindery/contract';
import { Link } from '@tanstack/react-router';
import { memo, useId } from 'react';
import { formatBytes } from '../../format-quantities.ts';
import { formatName } from '../format.ts';
import { searchMessages } from '../messages/search.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { CompareTick } from './compared.tsx';
import styles from './hit-card.module.css';
import type { Hit } from './hits-query.ts';
import why from './why.module.css';

/** One asset in a list. */
export const HitCard = memo(function HitCard({ hit, showLibrary }: { hit: Hit; showLibrary: boolean }) {
  const title = hit.title ?? hit.assetId;
  return (
    <article className={styles.card}>
      <Link
        to="/$namespace/$library/$asset"
        params={{ namespace: hit.namespace, library: hit.library, asset: hit.assetId }}
        search={hit.entryPoint === undefined ? hit.read : { ...hit.read, entry: hit.entry ?? undefined }}
        className={styles.link}
      >
        <Thumbnail url={hit.thumbnailUrl} srcset={hit.thumbnailSrcset} kind={formatName(hit)} />
        <div className={styles.words}>
          <h2 className={`clamped ${styles.title}`}>
            {hit.entryPoint === undefined ? title : `${hit.entryPoint} · ${title}`}
          </h2>
          {hit.description && <p className={`clamped detail ${styles.description}`}>{hit.description}</p>}
        </div>
      </Link>
      <p className={`small ${styles.facts}`}>
        <FilterLink name="kind" value={hit.kind} label={formatName(hit)} className={`badge ${styles.kind}`} />
        {hit.license && (
          <FilterLink
            name="license"
            value={hit.license}
            label={hit.license}
            className={`one-line ${styles.license}`}
          />
        )}
        <span>{formatBytes(hit.files.bytes)}</span>
      </p>
      {showLibrary && (
        <p className={`small one-line ${styles.library}`}>
          {hit.namespace}/{hit.library}
        </p>
      )}
      <CompareTick
        asset={{ namespace: hit.namespace, library: hit.library, asset: hit.assetId, title, ...hit.read }}
      />
      {hit.explain && <HitExplanation explanation={hit.explain} label={`${searchMessages.why} ${title}`} />}
    </article>
  );
});

/** A fact of an asset: opens what else here has it. */
function FilterLink({
  name,
  value,
  label,
  className,
}: {
  name: 'kind' | 'license';
  value: string;
  label: string;
  className: string;
}) {
  return (
    <Link
      to="."
      search={(search) => ({ ...search, [name]: [value] })}
      resetScroll={false}
      title={searchMessages.only(searchMessages[name], value)}
      className={className}
    >
      {label}
    </Link>
  );
}

/** The service's explanation of a hit's rank: which words matched which fields, and how similar its meaning is. */
export function HitExplanation({ explanation, label }: { explanation: SearchExplanation; label: string }) {
  const id = useId();
  const text = searchMessages;
  return (
    <>
      <button type="button" className={why.button} popoverTarget={id} aria-label={label} title={text.why}>
        ?
      </button>
      <div id={id} popover="auto" className={why.popover}>
        <h3>{text.why}</h3>
        <ul className="list">
          {explanation.sentences?.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
    </>
  );
}
