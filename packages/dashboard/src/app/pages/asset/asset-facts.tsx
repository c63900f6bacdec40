import type { AssetDetail } from '@bindery/contract';
import {
  deriveWords,
  formatClaim,
  formatDerivedWords,
  readClaim,
  readOrigin,
  readStatistics,
} from '@bindery/contract/wire';
import { assetMessages } from '../../messages/asset.ts';
import { LicenseTexts } from '../../parts/license-texts.tsx';
import { LinkedText, SafeLink } from '../../parts/links.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import styles from './asset-facts.module.css';

/** What an asset's author states about it, and what its files show. */
export function AssetFacts({ asset, libraryLicense }: { asset: AssetDetail; libraryLicense: string | null }) {
  const text = assetMessages;
  const license = asset.license ?? libraryLicense;
  const upstream = Object.entries(asset.upstream ?? {});
  const origin = readOrigin(asset.meta);
  const claim = readClaim(asset.meta);
  const derived = formatDerivedWords(deriveWords(readStatistics(asset.meta)));
  return (
    <>
      {asset.description && (
        <div>
          <Markdown text={asset.description} />
        </div>
      )}
      {asset.tags.length > 0 && (
        <ul className={styles.tags} aria-label={text.tags}>
          {asset.tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      <dl className={styles.facts}>
        {asset.category && (
          <>
            <dt>{text.category}</dt>
            <dd>{asset.category}</dd>
          </>
        )}
        <dt>{text.license}</dt>
        <dd>
          {license ?? text.noLicense}
          {license && <LicenseTexts expression={license} />}
        </dd>
        {asset.attribution && (
          <>
            <dt>{text.attribution}</dt>
            <dd>
              <LinkedText text={asset.attribution} />
            </dd>
          </>
        )}
        {origin && (
          <>
            <dt>{text.imported}</dt>
            <dd>
              {origin.retrieved} <SafeLink href={origin.source} /> {origin.revision?.slice(0, 12)}
            </dd>
          </>
        )}
        {claim && (
          <>
            <dt>{text.claimed}</dt>
            <dd>{formatClaim(claim)}</dd>
          </>
        )}
        {derived !== '' && (
          <>
            <dt>{text.derived}</dt>
            <dd>{derived}</dd>
          </>
        )}
        {upstream.map(([name, value]) => (
          <Upstream key={name} name={name} value={value} />
        ))}
      </dl>
    </>
  );
}

function Upstream({ name, value }: { name: string; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <>
      <dt>
        {assetMessages.upstream}: {name}
      </dt>
      <dd>
        <SafeLink href={text} />
      </dd>
    </>
  );
}
