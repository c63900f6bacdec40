import { SOURCE_README_PATH } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import type { ChangedFact } from '@bindery/sdk/diff';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { compareMessages } from '../../messages/compare.ts';
import { ChangedFacts } from './changed-asset.tsx';
import { ChangedFile, FileLine, fileAt } from './changed-file.tsx';
import styles from './compare.module.css';
import type { Sides, Version } from './version.ts';

const README = 'README.md';

/** What differs in what is stated about the library itself, and in its README; empty if nothing does. */
export function ChangedLibrary({
  sides,
  facts,
  hasSameReadme,
}: {
  sides: Sides;
  facts: readonly ChangedFact[];
  hasSameReadme: boolean;
}) {
  const text = compareMessages;
  const { data, isLoading } = useQuery({ ...readmesQuery(sides), enabled: !hasSameReadme });
  const [was, is] = [data?.was, data?.is];
  const hasReadme = was?.sha256 !== is?.sha256;
  if (isLoading) return <div className="coming" />;
  if (facts.length === 0 && !hasReadme) return null;
  return (
    <section className="card" aria-label={text.library}>
      <h2>{text.library}</h2>
      {facts.length > 0 && <ChangedFacts facts={facts} />}
      {hasReadme && (
        <ul className={styles.files}>
          {was && is ? (
            <li>
              <ChangedFile sides={sides} path={SOURCE_README_PATH} name={README} was={was} is={is} />
            </li>
          ) : (
            <FileLine how={is ? 'added' : 'removed'} path={README} file={is ?? was} />
          )}
        </ul>
      )}
    </section>
  );
}

/** The README on both sides; undefined on one that has none. */
const readmesQuery = (sides: Sides) =>
  queryOptions({
    queryKey: ['diff', 'readme', sides],
    queryFn: async () => {
      const [was, is] = await Promise.all([sides.from, sides.to].map((one) => readmeAt(sides, one)));
      return { was, is };
    },
    staleTime: 300_000,
  });

async function readmeAt({ library }: Sides, version: Version) {
  try {
    return await fileAt(library, version, SOURCE_README_PATH);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unknown_path') return undefined;
    throw error;
  }
}
