import type { PresignedFile } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { diffTexts, isShortText } from '@bindery/sdk/diff';
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../../format-quantities.ts';
import { readPresigned } from '../../files/asset-files.ts';
import { imageExtension } from '../../files/readme-links.ts';
import { assetMessages } from '../../messages/asset.ts';
import { compareMessages } from '../../messages/compare.ts';
import { messages } from '../../messages.ts';
import { Fold } from '../../parts/card.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { requestOf } from '../../queries.ts';
import { service } from '../../session.ts';
import styles from './compare.module.css';
import { ComparedPictures } from './compared-pictures.tsx';
import { type Sides, type Version, versionQuery } from './version.ts';

/** A file that only one side has. */
export function FileLine({
  how,
  path,
  file,
}: {
  how: 'added' | 'removed';
  path: string;
  file: PresignedFile | undefined;
}) {
  return (
    <li className={styles[how]}>
      <span className={styles.mark}>{how === 'added' ? '+' : '−'}</span> {path}{' '}
      {file && <span className="soft">{formatBytes(file.size)}</span>}
    </li>
  );
}

/** A file that has other bytes; opens to its lines or its picture. */
export function ChangedFile({
  sides,
  path,
  name = path,
  was,
  is,
}: {
  sides: Sides;
  path: string;
  /** What it is called on the page. */
  name?: string;
  was: PresignedFile | undefined;
  is: PresignedFile | undefined;
}) {
  const line = (
    <>
      <span className={styles.mark}>~</span> {name}{' '}
      {was && is && (
        <span className="soft">
          {formatBytes(was.size)} → {formatBytes(is.size)}
        </span>
      )}
    </>
  );
  const isPicture = imageExtension(path) !== undefined;
  if (!was || !is || !(isPicture || isShortText(was, is))) return line;
  const read = (signal: AbortSignal) =>
    Promise.all([
      readPresigned(was, () => fileAt(sides.library, sides.from, path), signal),
      readPresigned(is, () => fileAt(sides.library, sides.to, path), signal),
    ]);
  return (
    <Fold summary={line}>
      {isPicture ? (
        <ComparedPictures name={name} queryKey={[was.sha256, is.sha256]} read={read} />
      ) : (
        <ChangedLines queryKey={[was.sha256, is.sha256]} path={name} read={read} />
      )}
    </Fold>
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
  if (!data) return error ? <InlineError error={error} /> : <p className="soft">{messages.loading}</p>;
  if (data.changes === null) return <p className="soft">{compareMessages.notText}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className={`scrolled ${styles.lines}`} tabIndex={0} aria-label={path}>
      {data.changes.map(({ before, after, lines }) => (
        <pre key={`${before} ${after}`}>
          <code className={styles.place}>{compareMessages.lines(before, after)}</code>
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

/** A file as one side has it, with a fresh URL. Throws `unknown_path` if that side has none. */
export async function fileAt(
  library: Sides['library'],
  version: Version,
  path: string,
): Promise<PresignedFile> {
  const { params, query } = requestOf(library);
  const request = { params, query: { ...query, ...versionQuery(version) }, body: { paths: [path] } };
  const { files } = await service.call(routes.libraries.presignFiles, request);
  if (!files[0]) throw new Error(assetMessages.notFetched(path));
  return files[0];
}
