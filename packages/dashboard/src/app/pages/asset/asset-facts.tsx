import type { AssetDetail } from '@bindery/contract';
import {
  deriveWords,
  formatClaim,
  formatDerivedWords,
  readClaim,
  readOrigin,
  readStatistics,
} from '@bindery/contract/wire';
import { assetMessages as text } from '../../messages/asset.ts';
import { Fact } from '../../parts/card.tsx';
import { LicenseTexts } from '../../parts/license-texts.tsx';
import { LinkedText, SafeLink } from '../../parts/links.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import styles from './asset-facts.module.css';

/** What an asset's author states about it, and what its files show. */
export function AssetFacts({ asset, libraryLicense }: { asset: AssetDetail; libraryLicense: string | null }) {
  const license = asset.license ?? libraryLicense;
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
        <ul className="row" aria-label={text.tags}>
          {asset.tags.map((tag) => (
            <li key={tag} className="badge">
              {tag}
            </li>
          ))}
        </ul>
      )}
      <dl className={styles.facts}>
        <Fact name={text.category} value={asset.category} />
        <Fact
          name={text.license}
          value={
            license === null ? (
              text.noLicense
            ) : (
              <>
                {license}
                <LicenseTexts expression={license} />
              </>
            )
          }
        />
        <Fact name={text.attribution} value={asset.attribution && <LinkedText text={asset.attribution} />} />
        <Fact
          name={text.imported}
          value={
            origin && (
              <>
                {origin.retrieved} <SafeLink href={origin.source} /> {origin.revision?.slice(0, 12)}
              </>
            )
          }
        />
        <Fact name={text.claimed} value={claim && formatClaim(claim)} />
        <Fact name={text.derived} value={derived} />
        {Object.entries(asset.upstream ?? {}).map(([name, value]) => (
          <Fact
            key={name}
            name={`${text.upstream}: ${name}`}
            value={<SafeLink href={typeof value === 'string' ? value : JSON.stringify(value)} />}
          />
        ))}
      </dl>
    </>
  );
}
