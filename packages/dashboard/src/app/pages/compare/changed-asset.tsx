import type { AssetDetail, PresignedFile } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { type ChangedAsset, type ChangedFact, diffTexts, isShortText } from '@bindery/sdk/diff';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPresigned } from '../../files/asset-files.ts';
import { formatBytes } from '../../format.ts';
import { messages } from '../../messages.ts';
import { InlineError } from '../../parts/inline-error.tsx';
import type { LibraryKey } from '../../queries.ts';
import { service } from '../../session.ts';
import styles from './compare.module.css';
import { ComparedPictures } from './compared-pictures.tsx';
import { type Version, versionQuery } from './version.ts';

const PICTURE = /\.(png|jpe?g|webp|gif|avif)$/i;

/** The two sides of a comparison. */
export interface Sides {
  library: Pick<LibraryKey, 'namespace' | 'library' | 'share'>;
  from: Version;
  to: Version;
}

/** What differs in an asset: its picture, what is stated about it, and its files, line by line if they are texts. */
export function ChangedAssetCard({ sides, change }: { sides: Sides; change: ChangedAsset }) {
  const text = messages.compare;
  const { id, facts, files } = change;
  const before = useQuery(assetAtQuery(sides.library, sides.from, id));
  const after = useQuery(assetAtQuery(sides.library, sides.to, id));
  return (
    <section className={styles.card} aria-label={after.data?.title ?? id}>
      <h3>{after.data?.title ?? id}</h3>
      <InlineError error={before.error ?? after.error} />
      {before.data && after.data && (
        <ComparedPictures
          name={after.data.title ?? id}
          queryKey={[sides, id]}
          read={(signal) =>
            Promise.all(
              [before.data, after.data].map(({ thumbnailUrl }) => readPicture(thumbnailUrl, signal)),
            ).then(([was = null, is = null]) => [was, is])
          }
        />
      )}
      {facts.length > 0 && <ChangedFacts facts={facts} />}
      <ul className={styles.files} aria-label={text.files}>
        {files.added.map((path) => (
          <li key={path} className={styles.added}>
            <FileLine mark="+" path={path} file={fileOf(after.data, path)} />
          </li>
        ))}
        {files.removed.map((path) => (
          <li key={path} className={styles.removed}>
            <FileLine mark="−" path={path} file={fileOf(before.data, path)} />
          </li>
        ))}
        {files.changed.map((path) => (
          <li key={path}>
            <ChangedFile
              sides={sides}
              id={id}
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
  const text = messages.compare;
  return (
    <table className={styles.facts}>
      <thead>
        <tr>
          <th scope="col">{text.fact}</th>
          <th scope="col">{text.before}</th>
          <th scope="col">{text.after}</th>
        </tr>
      </thead>
      <tbody>
        {facts.map(({ fact, before, after }) => (
          <tr key={fact}>
            <th scope="row">{fact}</th>
            <td className={styles.removed}>{written(before)}</td>
            <td className={styles.added}>{written(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function written(value: unknown): string {
  if (value === undefined) return messages.compare.none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function FileLine({ mark, path, file }: { mark: string; path: string; file: PresignedFile | undefined }) {
  return (
    <>
      <span className={styles.mark}>{mark}</span> {path}{' '}
      {file && <span className={styles.soft}>{formatBytes(file.size)}</span>}
    </>
  );
}

/** A file that has other bytes; opens to its lines or its picture. */
function ChangedFile({
  sides,
  id,
  path,
  was,
  is,
}: {
  sides: Sides;
  id: string;
  path: string;
  was: PresignedFile | undefined;
  is: PresignedFile | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const line = (
    <>
      <span className={styles.mark}>~</span> {path}{' '}
      {was && is && (
        <span className={styles.soft}>
          {formatBytes(was.size)} → {formatBytes(is.size)}
        </span>
      )}
    </>
  );
  const isPicture = PICTURE.test(path);
  if (!was || !is || !(isPicture || isShortText(was, is))) return line;
  const read = (signal: AbortSignal) =>
    Promise.all([
      readPresigned(was, () => fileAt(sides, sides.from, id, path), signal),
      readPresigned(is, () => fileAt(sides, sides.to, id, path), signal),
    ]);
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>{line}</summary>
      {isOpen &&
        (isPicture ? (
          <ComparedPictures name={path} queryKey={[was.sha256, is.sha256]} read={read} />
        ) : (
          <ChangedLines queryKey={[was.sha256, is.sha256]} path={path} read={read} />
        ))}
    </details>
  );
}

function ChangedLines({
  path,
  queryKey,
  read,
}: {
  path: string;
  queryKey: readonly string[];
  read: (signal: AbortSignal) => Promise<[ArrayBuffer, ArrayBuffer]>;
}) {
  const { data, error } = useQuery({
    queryKey: ['lines', ...queryKey],
    queryFn: async ({ signal }) => {
      const [was, is] = await read(signal);
      return { changes: diffTexts(new Uint8Array(was), new Uint8Array(is)) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (!data) return error ? <InlineError error={error} /> : <p className={styles.soft}>{messages.loading}</p>;
  if (data.changes === null) return <p className={styles.soft}>{messages.compare.notText}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className={styles.lines} tabIndex={0} aria-label={path}>
      {data.changes.map(({ before, after, lines }) => (
        <pre key={`${before} ${after}`}>
          <code className={styles.place}>{messages.compare.lines(before, after)}</code>
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal lines differ by their place alone
            <code key={at} className={styleOf(line)}>
              {line}
            </code>
          ))}
        </pre>
      ))}
    </section>
  );
}

function styleOf(line: string): string | undefined {
  return line.startsWith('+') ? styles.added : line.startsWith('-') ? styles.removed : undefined;
}

const assetAtQuery = ({ namespace, library, share }: Sides['library'], version: Version, assetId: string) =>
  queryOptions({
    queryKey: ['asset', namespace, library, assetId, share ?? null, version],
    queryFn: ({ signal }) =>
      service.call(routes.libraries.getAsset, {
        params: { namespace, name: library, assetId },
        query: { ...readQuery({ share }), ...versionQuery(version) },
        signal,
      }),
    staleTime: 300_000,
  });

/** The file with a fresh URL. */
async function fileAt(
  { library }: Sides,
  version: Version,
  id: string,
  path: string,
): Promise<PresignedFile> {
  const { namespace, library: name, share } = library;
  const { files } = await service.call(routes.libraries.presignFiles, {
    params: { namespace, name },
    query: { ...readQuery({ share }), ...versionQuery(version) },
    body: { paths: [path] },
  });
  if (!files[0]) throw new Error(messages.asset.notFetched(`${id}: ${path}`));
  return files[0];
}

function fileOf(asset: AssetDetail | undefined, path: string): PresignedFile | undefined {
  return asset?.files.find((file) => file.path === path);
}

/** Null without a picture, or if it cannot be read: the rest is worth showing without it. */
async function readPicture(url: string | null, signal: AbortSignal): Promise<ArrayBuffer | null> {
  if (url === null) return null;
  const response = await fetch(url, { credentials: 'omit', signal }).catch(() => null);
  return response?.ok ? response.arrayBuffer() : null;
}
