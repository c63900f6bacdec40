import type { ReactNode } from 'react';

/** What is known of something, by the name of the fact; empty if it is not known. */
export function Fact({ name, value }: { name: string; value: ReactNode }) {
  if (value === null || value === undefined || value === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
