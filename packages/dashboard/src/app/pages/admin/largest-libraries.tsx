import type { AdministeredLibrary } from '@bindery/contract';
import { formatBytes } from '../../format.ts';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';

/** Shows names and sizes only: operators do not see what is in the libraries. */
export function LargestLibraries({ libraries }: { libraries: readonly AdministeredLibrary[] }) {
  const text = messages.admin.namespaces;
  if (libraries.length === 0) return <p className={form.soft}>{text.noLibraries}</p>;
  return (
    <ul className={form.list}>
      {libraries.map(({ namespace, name, isInTrash, bytes }) => (
        <li key={`${namespace}/${name}`}>
          <span>
            {namespace}/{name}
            {isInTrash && <span className={form.soft}> · {text.inTrash}</span>}
          </span>
          <span className={form.soft}>{formatBytes(bytes)}</span>
        </li>
      ))}
    </ul>
  );
}
