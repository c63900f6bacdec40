import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import type { ChangedAsset, ChangedFact } from '@bindery/sdk/diff';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { compareMessages } from '../../messages/compare.ts';
import { InlineError } from '../../parts/inline-error.tsx';
import { queryOf } from '../../session.ts';
import { MADE } from './change-words.ts';
import { ChangedFile, FileLine } from './changed-file.tsx';
import { ChangedModel } from './changed-model.tsx';
import styles from './compare.module.css';
import { ComparedPictures } from './compared-pictures.tsx';
import { FactsTable } from './facts-table.tsx';
import { type Sides, type Version, versionQuery } from './version.ts';

/** What differs in an asset: its picture, what is stated about it, and its files, line by line if they are texts. */
export function ChangedAssetCard({ sides, change }: { sides: Sides; change: ChangedAsset }) {
  const text = compareMessages;
  const { id, files } = change;
  const facts = change.facts.filter(({ fact }) => !MADE.test(fact));
  const before = useQuery(assetAtQuery(sides.library, sides.from, id));
  const after = useQuery(assetAtQuery(sides.library, sides.to, id));
  return (
    <section className="card" aria-label={after.data?.title ?? id}>
      <h3>{after.data?.title ?? id}</h3>
      <InlineError error={before.error ?? after.error} />
      {before.data && after.data ? (
        <ComparedPictures
          name={after.data.title ?? id}
          queryKey={[sides, id]}
          read={(signal) =>
            Promise.all(
              [before.data, after.data].map(({ thumbnailUrl }) => readPicture(thumbnailUrl, signal)),
            ).then(([was = null, is = null]) => [was, is])
          }
        />
      ) : (
        (before.isLoading || after.isLoading) && <div className="coming" />
      )}
      {facts.length > 0 && <ChangedFacts facts={facts} />}
      {before.data && after.data && Object.values(files).some((paths) => paths.length > 0) && (
        <ChangedModel sides={sides} before={before.data} after={after.data} />
      )}
      <ul className={styles.files} aria-label={text.files}>
        {(['added', 'removed'] as const).flatMap((how) =>
          files[how].map((path) => (
            <FileLine
              key={path}
              how={how}
              path={path}
              file={fileOf(how === 'added' ? after.data : before.data, path)}
            />
          )),
        )}
        {files.changed.map((path) => (
          <li key={path}>
            <ChangedFile
              sides={sides}
              was={fileOf(before.data, path)}
              is={fileOf(after.data, path)}
              path={path}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is stated on both sides. */
export function ChangedFacts({ facts }: { facts: readonly ChangedFact[] }) {
  return (
    <FactsTable
      heads={[compareMessages.before, compareMessages.after]}
      facts={facts.map(({ fact, before, after }) => ({
        name: compareMessages.factName(fact),
        values: [written(before), written(after)],
      }))}
      isChange
    />
  );
}

/** Lists as words, and what is neither a list nor a text as JSON. */
function written(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(written).join(', ');
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

const assetAtQuery = ({ namespace, library, share }: Sides['library'], version: Version, assetId: string) =>
  queryOptions({
    ...queryOf(['asset', namespace, library, assetId, share ?? null, version], routes.libraries.getAsset, {
      params: { namespace, name: library, assetId },
      query: { ...readQuery({ share }), ...versionQuery(version) },
    }),
    enabled: version !== 'unread',
    staleTime: 300_000,
  });

function fileOf(asset: AssetDetail | undefined, path: string): PresignedFile | undefined {
  return asset?.files.find((file) => file.path === path);
}

/** Null without a picture, or if it cannot be read: the rest is worth showing without it. */
async function readPicture(url: string | null, signal: AbortSignal): Promise<ArrayBuffer | null> {
  if (url === null) return null;
  const response = await fetch(url, { credentials: 'omit', signal }).catch(() => null);
  return response?.ok ? response.arrayBuffer() : null;
}
